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
 * Reads what {@link CanonicalWriter} wrote. Every method throws {@link DecodeException} rather than
 * reading past the end or allocating more than is there. Not thread-safe.
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

  /** Reads the whole array. */
  public CanonicalReader(byte[] bytes) {
    this.bytes = bytes;
    this.end = bytes.length;
  }

  /** 8 bits, unsigned. */
  public int u8() throws DecodeException {
    need(1);
    return bytes[position++] & 0xff;
  }

  /** 16 bits, unsigned. */
  public int u16() throws DecodeException {
    need(2);
    int value = (short) SHORT.get(bytes, position) & 0xffff;
    position += 2;
    return value;
  }

  /** 32 bits. */
  public int u32() throws DecodeException {
    need(4);
    int value = (int) INT.get(bytes, position);
    position += 4;
    return value;
  }

  /** 64 bits. */
  public long u64() throws DecodeException {
    need(8);
    long value = (long) LONG.get(bytes, position);
    position += 8;
    return value;
  }

  /** 64 bits which must not be negative as a signed number: a size, an offset, an index. */
  public long size() throws DecodeException {
    long value = u64();
    if (value < 0) {
      throw new DecodeException("a number past 2^63: " + Long.toUnsignedString(value));
    }
    return value;
  }

  /** A node id. */
  public NodeId node() throws DecodeException {
    return new NodeId(u64(), u64());
  }

  /** A hash. */
  public Hash hash() throws DecodeException {
    need(Hash.BYTES);
    Hash hash = Hash.read(bytes, position);
    position += Hash.BYTES;
    return hash;
  }

  /**
   * A 32-bit length and that many bytes.
   *
   * @param max the largest length that makes sense here
   */
  public byte[] bytes(int max) throws DecodeException {
    int length = u32();
    if (length < 0 || length > max) {
      throw new DecodeException(
          "a length of " + Integer.toUnsignedString(length) + ", at most " + max + " allowed");
    }
    need(length);
    byte[] copy = Arrays.copyOfRange(bytes, position, position + length);
    position += length;
    return copy;
  }

  /** A 32-bit length and that many bytes of well-formed UTF-8. */
  public String text(int max) throws DecodeException {
    byte[] utf8 = bytes(max);
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
    } catch (CharacterCodingException e) {
      throw new DecodeException("text that is not UTF-8: " + e.getMessage());
    }
  }

  /** A 32-bit count of things which take at least {@code bytesEach} bytes each. */
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

  /** How many bytes are left. */
  public int remaining() {
    return end - position;
  }

  /** Fails unless everything has been read: a canonical encoding has nothing behind it. */
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
