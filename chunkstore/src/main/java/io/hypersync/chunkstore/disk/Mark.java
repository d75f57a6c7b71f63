package io.hypersync.chunkstore.disk;

import java.nio.ByteBuffer;

/**
 * A place between two records: everything before it is durable and in the index, the segments with
 * lower numbers included. In the index as two u32, big-endian.
 *
 * @param segment number of the segment file
 * @param offset in that file, bytes
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
