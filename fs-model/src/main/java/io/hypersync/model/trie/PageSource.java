package io.hypersync.model.trie;

import io.hypersync.model.hash.Hash;

/** Has the pages of a snapshot. */
@FunctionalInterface
public interface PageSource {
  /**
   * The bytes of a page, whose hash has been checked.
   *
   * @throws PageMissingException if there is no such page, or it is damaged
   */
  byte[] get(Hash page) throws PageMissingException;
}
