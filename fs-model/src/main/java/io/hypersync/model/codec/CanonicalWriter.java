package io.hypersync.model.codec;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.NodeId;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Appends the canonical encoding of values to a growing byte buffer: integers are big-endian, and
 * values of variable length are preceded by a 32-bit length in bytes. {@link CanonicalReader} reads
 * it. Not thread-safe.
 */
public final class CanonicalWriter {
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private byte[] buffer;
  private int length;

  /** An empty writer with room for {@code capacity} bytes before it grows. */
  public CanonicalWriter(int capacity) {
    buffer = new byte[capacity];
  }

  /** Appends the low 8 bits. */
  public CanonicalWriter u8(int value) {
    room(1);
    buffer[length++] = (byte) value;
    return this;
  }

  /** Appends the low 16 bits. */
  public CanonicalWriter u16(int value) {
    room(2);
    SHORT.set(buffer, length, (short) value);
    length += 2;
    return this;
  }

  /** Appends 32 bits. */
  public CanonicalWriter u32(int value) {
    room(4);
    INT.set(buffer, length, value);
    length += 4;
    return this;
  }

  /** Appends 64 bits. */
  public CanonicalWriter u64(long value) {
    room(8);
    LONG.set(buffer, length, value);
    length += 8;
    return this;
  }

  /** Appends the 16 bytes of a 128-bit id. */
  public CanonicalWriter id(long high, long low) {
    return u64(high).u64(low);
  }

  /** Appends the 16 bytes of a node id. */
  public CanonicalWriter node(NodeId id) {
    return id(id.high(), id.low());
  }

  /** Appends the 32 bytes of a hash. */
  public CanonicalWriter hash(Hash hash) {
    room(Hash.BYTES);
    hash.write(buffer, length);
    length += Hash.BYTES;
    return this;
  }

  /** Appends the bytes as they are, with no length. */
  public CanonicalWriter raw(byte[] bytes) {
    room(bytes.length);
    System.arraycopy(bytes, 0, buffer, length, bytes.length);
    length += bytes.length;
    return this;
  }

  /** Appends a 32-bit length and the bytes. */
  public CanonicalWriter bytes(byte[] bytes) {
    return u32(bytes.length).raw(bytes);
  }

  /** Appends a 32-bit length and the UTF-8 bytes. */
  public CanonicalWriter text(String text) {
    return bytes(text.getBytes(StandardCharsets.UTF_8));
  }

  /** The number of bytes written so far. */
  public int length() {
    return length;
  }

  /**
   * The backing array itself, not a copy; only its first {@link #length()} bytes are valid, and the
   * next write may replace it.
   */
  public byte[] array() {
    return buffer;
  }

  /** A copy of the bytes written so far. */
  public byte[] toBytes() {
    return Arrays.copyOf(buffer, length);
  }

  private void room(int more) {
    if (buffer.length - length < more) {
      buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, length + more));
    }
  }
}
