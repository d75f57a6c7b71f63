package io.hypersync.chunkstore.disk;

import java.nio.ByteBuffer;

/**
 * The location of a chunk's bytes, as the index stores it:
 *
 * <pre>
 *  0      4         8        12
 *  +------+---------+--------+
 *  |length| segment | offset |   u32 each, big-endian
 *  +------+---------+--------+
 * </pre>
 *
 * @param length of the chunk, in bytes
 * @param segment number of the segment file
 * @param offset of the first byte of the chunk in that file
 */
record ChunkLocation(int length, int segment, int offset) {
  private static final int BYTES = 12;

  byte[] encoded() {
    return ByteBuffer.allocate(BYTES).putInt(length).putInt(segment).putInt(offset).array();
  }

  static ChunkLocation decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    return new ChunkLocation(in.getInt(), in.getInt(), in.getInt());
  }
}
