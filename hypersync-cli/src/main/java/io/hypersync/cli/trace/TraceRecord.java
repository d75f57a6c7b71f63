package io.hypersync.cli.trace;

import io.hypersync.model.hash.Hash;

/** One record of a trace; see {@link TraceFormat} for the bytes. */
public sealed interface TraceRecord {

  /**
   * A log entry.
   *
   * @param bytes as logged and as sent; not decoded yet
   */
  record Entry(byte[] bytes) implements TraceRecord {}

  /**
   * A chunk, as it would come from a leader: whoever stores it checks it.
   *
   * @param hash what it is stored under
   * @param bytes 1 to 65,536
   */
  record ChunkData(Hash hash, byte[] bytes) implements TraceRecord {}

  /**
   * What a replay must have come to.
   *
   * @param index after this entry
   * @param root the Merkle root of the filesystem
   */
  record Checkpoint(long index, Hash root) implements TraceRecord {}
}
