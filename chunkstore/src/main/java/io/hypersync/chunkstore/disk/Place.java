package io.hypersync.chunkstore.disk;

import java.nio.ByteBuffer;

/**
 * Where the bytes of a chunk are, as the index holds it:
 *
 * <pre>
 *  0      4         8        12
 *  +------+---------+--------+
 *  |length| segment | offset |   u32 each, big-endian
 *  +------+---------+--------+
 * </pre>
 *
 * @param length of the chunk, bytes
 * @param segment number of the segment file
 * @param offset of the first of its bytes in that file
 */
record Place(int length, int segment, int offset) {
  private static final int BYTES = 12;

  byte[] encoded() {
    return ByteBuffer.allocate(BYTES).putInt(length).putInt(segment).putInt(offset).array();
  }

  static Place decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    return new Place(in.getInt(), in.getInt(), in.getInt());
  }
}
