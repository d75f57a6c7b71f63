package io.hypersync.leader.oplog.chronicle;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import java.util.Arrays;

/**
 * A record whose CRC32C has been verified. Layout: {@link RecordCodec}.
 *
 * @param position byte position in the segment file
 * @param bytes the whole record
 */
record LogRecord(long position, byte[] bytes) {

  /** The position in the file right after the record. */
  long end() {
    return position + bytes.length;
  }

  RecordKind kind() {
    return RecordCodec.kind(bytes, 0);
  }

  long index() {
    return RecordCodec.index(bytes, 0);
  }

  long commitWatermark() {
    return RecordCodec.commitWatermark(bytes, 0);
  }

  long segmentId() {
    return RecordCodec.segmentId(bytes, 0);
  }

  Hash previousHash() {
    return RecordCodec.previousHash(bytes, 0);
  }

  byte[] payload() {
    return Arrays.copyOfRange(bytes, RecordCodec.HEADER_BYTES, bytes.length);
  }

  /** The hash that the next record names as its predecessor's. */
  Hash hash() {
    return Blake3.hash(bytes);
  }
}
