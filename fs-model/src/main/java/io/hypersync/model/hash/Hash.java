package io.hypersync.model.hash;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.HexFormat;

/**
 * A 32-byte BLAKE3 hash, held as four big-endian words so that it takes one object and no array.
 *
 * @param w0 bytes 0 to 7
 * @param w1 bytes 8 to 15
 * @param w2 bytes 16 to 23
 * @param w3 bytes 24 to 31
 */
public record Hash(long w0, long w1, long w2, long w3) implements Comparable<Hash> {
  /** Length of the binary form, in bytes. */
  public static final int BYTES = 32;

  /**
   * All zero bytes: "no hash", used as the root of an empty trie and the predecessor of entry 1.
   */
  public static final Hash ZERO = new Hash(0, 0, 0, 0);

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  /**
   * Reads the hash from the 32 bytes at {@code offset}.
   *
   * @throws IndexOutOfBoundsException if they are not inside the array
   */
  public static Hash read(byte[] bytes, int offset) {
    return new Hash(
        (long) LONG.get(bytes, offset),
        (long) LONG.get(bytes, offset + 8),
        (long) LONG.get(bytes, offset + 16),
        (long) LONG.get(bytes, offset + 24));
  }

  /**
   * Parses 64 hexadecimal digits.
   *
   * @throws IllegalArgumentException if the text is anything else
   */
  public static Hash parse(String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex);
    if (bytes.length != BYTES) {
      throw new IllegalArgumentException("expected 64 hexadecimal digits, got " + hex.length());
    }
    return read(bytes, 0);
  }

  /**
   * Writes the 32 bytes at {@code offset}.
   *
   * @throws IndexOutOfBoundsException if they do not fit into the array
   */
  public void write(byte[] target, int offset) {
    LONG.set(target, offset, w0);
    LONG.set(target, offset + 8, w1);
    LONG.set(target, offset + 16, w2);
    LONG.set(target, offset + 24, w3);
  }

  /** A new array with the 32 bytes. */
  public byte[] toBytes() {
    byte[] bytes = new byte[BYTES];
    write(bytes, 0);
    return bytes;
  }

  /** The bytes of a hash are uniformly distributed, so one word is enough. */
  @Override
  public int hashCode() {
    return Long.hashCode(w0);
  }

  /** Orders by the bytes, unsigned. */
  @Override
  public int compareTo(Hash other) {
    int order = Long.compareUnsigned(w0, other.w0);
    if (order == 0) {
      order = Long.compareUnsigned(w1, other.w1);
    }
    if (order == 0) {
      order = Long.compareUnsigned(w2, other.w2);
    }
    return order != 0 ? order : Long.compareUnsigned(w3, other.w3);
  }

  /** The 64 hexadecimal digits. */
  @Override
  public String toString() {
    return HexFormat.of().formatHex(toBytes());
  }
}
