package io.hypersync.model.trie;

import io.hypersync.model.hash.Hash;

/** Takes the pages that a snapshot writes, each one after the pages that it refers to. */
@FunctionalInterface
public interface PageSink {
  /**
   * Stores a page, which may be there already. It need not be durable on return.
   *
   * @param page its bytes, which must not be changed afterwards
   * @return BLAKE3 of the bytes
   */
  Hash put(byte[] page);
}
