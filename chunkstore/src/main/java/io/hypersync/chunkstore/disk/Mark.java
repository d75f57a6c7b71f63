package io.hypersync.chunkstore.disk;

import java.nio.ByteBuffer;

/**
 * A position between two records up to which the segments are in the index: everything before it,
 * in this segment and in those with lower numbers, is durable and indexed. Stored in the index as
 * two u32, big-endian.
 *
 * @param segment number of the segment file
 * @param offset in that file, in bytes
 */
record Mark(int segment, int offset) {
  byte[] encoded() {
    return ByteBuffer.allocate(2 * Integer.BYTES).putInt(segment).putInt(offset).array();
  }

  static Mark decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    return new Mark(in.getInt(), in.getInt());
  }
}
