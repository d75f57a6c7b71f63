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
   * The state that the first entry follows. Its pages have come before.
   *
   * @param manifest not decoded yet
   */
  record State(byte[] manifest) implements TraceRecord {}

  /**
   * A chunk, or a page. It is not verified yet: whoever stores it does that, as with one from a
   * leader.
   *
   * @param hash the hash that it is stored under
   * @param bytes 1 to 65,536 bytes
   */
  record ChunkData(Hash hash, byte[] bytes) implements TraceRecord {}

  /**
   * The root that a replay must have reached.
   *
   * @param index the entry after which it holds
   * @param root the Merkle root of the filesystem
   */
  record Checkpoint(long index, Hash root) implements TraceRecord {}
}
