package io.hypersync.model.trie;

import java.util.Arrays;

/**
 * A key as a sequence of bits. Every byte contributes nine bits: a 1, which means that there is a
 * byte, then its bits from the highest; after the last byte come zeros. So no key is a prefix of
 * another, and the order of the bits is the bytewise order of the keys.
 */
public sealed interface TrieKey {
  /** A presence bit and the eight bits of the byte. */
  int BITS_PER_BYTE = 9;

  /** Maximum length of a key in bytes: {@link Inner} stores the bit number as a short. */
  int MAX_LENGTH = Short.MAX_VALUE / BITS_PER_BYTE;

  /** The length in bytes. */
  int length();

  /** The byte at {@code index}, as 0 to 255. */
  int byteAt(int index);

  /**
   * The bit with this number in the sequence described above. A static method with type tests,
   * which is faster here than a call of an interface method.
   */
  static int bitOf(TrieKey key, int bit) {
    if (key instanceof Pair pair) {
      return pair.bit(bit);
    }
    return key instanceof Bytes bytes ? bytes.bit(bit) : ((Counter) key).bit(bit);
  }

  /** The number of the first bit in which the keys differ, or -1 if they are equal. */
  static int firstDifference(TrieKey a, TrieKey b) {
    if (a instanceof Pair p && b instanceof Pair q) {
      long high = p.high ^ q.high;
      return high != 0
          ? firstBit(0, high)
          : p.low == q.low ? -1 : firstBit(Long.BYTES, p.low ^ q.low);
    }
    if (a instanceof Bytes p && b instanceof Bytes q) {
      int at = Arrays.mismatch(p.bytes, q.bytes);
      if (at < 0) {
        return -1;
      }
      return at < Math.min(p.bytes.length, q.bytes.length)
          ? firstBit(at, (long) (p.bytes[at] ^ q.bytes[at]) << (Long.SIZE - Byte.SIZE))
          : at * BITS_PER_BYTE;
    }
    int common = Math.min(a.length(), b.length());
    for (int i = 0; i < common; i++) {
      int difference = a.byteAt(i) ^ b.byteAt(i);
      if (difference != 0) {
        return firstBit(i, (long) difference << (Long.SIZE - Byte.SIZE));
      }
    }
    return a.length() == b.length() ? -1 : common * BITS_PER_BYTE;
  }

  /**
   * The bit number of the highest 1 bit in {@code word}, whose highest byte is the key's byte at
   * {@code index}.
   */
  private static int firstBit(int index, long word) {
    int zeros = Long.numberOfLeadingZeros(word);
    return (index + zeros / Byte.SIZE) * BITS_PER_BYTE + 1 + zeros % Byte.SIZE;
  }

  /**
   * The bit with this number in a key of the word's eight bytes, highest byte first; 0 past the
   * end.
   */
  private static int bitOfWord(long word, int bit) {
    int index = bit / BITS_PER_BYTE;
    int inByte = bit - index * BITS_PER_BYTE;
    if (index >= Long.BYTES) {
      return 0;
    }
    return inByte == 0 ? 1 : (int) (word >>> (Long.SIZE - Byte.SIZE * index - inByte)) & 1;
  }

  /** Compares bytewise, unsigned; a key precedes those that it is a prefix of. */
  static int compare(TrieKey a, TrieKey b) {
    int difference = firstDifference(a, b);
    return difference < 0 ? 0 : bitOf(a, difference) - bitOf(b, difference);
  }

  /**
   * A key of these bytes, which are not copied and must not change.
   *
   * @throws IllegalArgumentException if there are more than {@link #MAX_LENGTH}
   */
  static TrieKey of(byte[] bytes) {
    return new Bytes(bytes);
  }

  /** A key of eight bytes, big-endian: the keys of 0 to 2^63-1 are in numeric order. */
  static TrieKey of(long number) {
    return new Counter(number);
  }

  /** A key of 16 bytes: the two words, big-endian. */
  static TrieKey of(long high, long low) {
    return new Pair(high, low);
  }

  /** A key of any number of bytes up to {@link #MAX_LENGTH}. */
  record Bytes(byte[] bytes) implements TrieKey {
    /** Rejects a key that is too long. */
    public Bytes {
      if (bytes.length > MAX_LENGTH) {
        throw new IllegalArgumentException("a key of " + bytes.length + " bytes");
      }
    }

    private int bit(int bit) {
      int index = bit / BITS_PER_BYTE;
      if (index >= bytes.length) {
        return 0;
      }
      int inByte = bit - index * BITS_PER_BYTE;
      return inByte == 0 ? 1 : (bytes[index] >>> (Byte.SIZE - inByte)) & 1;
    }

    @Override
    public int length() {
      return bytes.length;
    }

    @Override
    public int byteAt(int index) {
      return bytes[index] & 0xff;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Bytes key && Arrays.equals(bytes, key.bytes);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(bytes);
    }
  }

  /** A key of eight bytes. */
  record Counter(long number) implements TrieKey {
    private int bit(int bit) {
      return bitOfWord(number, bit);
    }

    @Override
    public int length() {
      return Long.BYTES;
    }

    @Override
    public int byteAt(int index) {
      return (int) (number >>> (56 - 8 * index)) & 0xff;
    }
  }

  /** A key of 16 bytes. */
  record Pair(long high, long low) implements TrieKey {
    private static final int BITS_PER_WORD = Long.BYTES * BITS_PER_BYTE;

    private int bit(int bit) {
      return bit < BITS_PER_WORD ? bitOfWord(high, bit) : bitOfWord(low, bit - BITS_PER_WORD);
    }

    @Override
    public int length() {
      return 2 * Long.BYTES;
    }

    @Override
    public int byteAt(int index) {
      return (int) ((index < 8 ? high : low) >>> (56 - 8 * (index & 7))) & 0xff;
    }
  }
}
