package io.hypersync.model.codec;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.NodeId;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Decodes the format that {@link CanonicalWriter} writes, from one byte array. Every method throws
 * {@link DecodeException} instead of reading past the end of the array or allocating more bytes
 * than the array still holds, so untrusted input is safe. Not thread-safe.
 */
public final class CanonicalReader {
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private final byte[] bytes;
  private final int end;
  private int position;

  /** A reader of the whole array, which is not copied and must not change while it is read. */
  public CanonicalReader(byte[] bytes) {
    this.bytes = bytes;
    this.end = bytes.length;
  }

  /** Reads 8 bits as an unsigned number, 0 to 255. */
  public int u8() throws DecodeException {
    need(1);
    return bytes[position++] & 0xff;
  }

  /** Reads 16 bits as an unsigned number, 0 to 65535. */
  public int u16() throws DecodeException {
    need(2);
    int value = (short) SHORT.get(bytes, position) & 0xffff;
    position += 2;
    return value;
  }

  /** Reads 32 bits; negative if the highest bit is set. */
  public int u32() throws DecodeException {
    need(4);
    int value = (int) INT.get(bytes, position);
    position += 4;
    return value;
  }

  /** Reads 64 bits; negative if the highest bit is set. */
  public long u64() throws DecodeException {
    need(8);
    long value = (long) LONG.get(bytes, position);
    position += 8;
    return value;
  }

  /** Reads 64 bits that must be 0 to 2^63-1: a size, an offset or an index. */
  public long size() throws DecodeException {
    long value = u64();
    if (value < 0) {
      throw new DecodeException("a number past 2^63: " + Long.toUnsignedString(value));
    }
    return value;
  }

  /** Reads the 16 bytes of a node id. */
  public NodeId node() throws DecodeException {
    return new NodeId(u64(), u64());
  }

  /** Reads the 32 bytes of a hash. */
  public Hash hash() throws DecodeException {
    need(Hash.BYTES);
    Hash hash = Hash.read(bytes, position);
    position += Hash.BYTES;
    return hash;
  }

  /** Reads this many bytes, into a new array. */
  public byte[] raw(int length) throws DecodeException {
    need(length);
    byte[] copy = Arrays.copyOfRange(bytes, position, position + length);
    position += length;
    return copy;
  }

  /**
   * Passes over this many bytes.
   *
   * @param count not negative
   */
  public void skip(int count) throws DecodeException {
    need(count);
    position += count;
  }

  /**
   * Reads a 32-bit length and that many bytes, into a new array.
   *
   * @param max the largest valid length; a greater one is rejected before anything is allocated
   */
  public byte[] bytes(int max) throws DecodeException {
    int length = u32();
    if (length < 0 || length > max) {
      throw new DecodeException(
          "a length of " + Integer.toUnsignedString(length) + ", at most " + max + " allowed");
    }
    return raw(length);
  }

  /**
   * Reads a 32-bit length and that many bytes of well-formed UTF-8.
   *
   * @param max the largest valid length in bytes
   */
  public String text(int max) throws DecodeException {
    byte[] utf8 = bytes(max);
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
    } catch (CharacterCodingException e) {
      throw new DecodeException("text that is not UTF-8: " + e.getMessage());
    }
  }

  /**
   * Reads a 32-bit element count. Rejects a count whose elements cannot fit into the remaining
   * bytes, so that the caller may allocate a list of that size.
   *
   * @param max the largest valid count
   * @param bytesEach the least number of bytes that one element takes
   */
  public int count(int max, int bytesEach) throws DecodeException {
    int count = u32();
    if (count < 0 || count > max || (long) count * bytesEach > end - position) {
      throw new DecodeException(
          "a count of "
              + Integer.toUnsignedString(count)
              + " in "
              + (end - position)
              + " bytes, at most "
              + max
              + " allowed");
    }
    return count;
  }

  /** The number of bytes that have not been read yet. */
  public int remaining() {
    return end - position;
  }

  /**
   * Checks that all bytes have been read. Trailing bytes are an error, because a value has exactly
   * one canonical encoding.
   */
  public void finish() throws DecodeException {
    if (position != end) {
      throw new DecodeException((end - position) + " bytes behind the end");
    }
  }

  private void need(int count) throws DecodeException {
    if (end - position < count) {
      throw new DecodeException(
          "truncated: "
              + count
              + " bytes needed at "
              + position
              + ", "
              + (end - position)
              + " left");
    }
  }
}
