package io.hypersync.model.trie;

import io.hypersync.model.hash.Hash;

/** What {@link PageWalker} tells of the pages and chunks that it comes to. */
public interface PageVisitor {
  /**
   * A page, before it is read.
   *
   * @return whether to read it and what it leads to. False only if this visitor was told of the
   *     page before: then it has been told of all that the page leads to, or will be before the
   *     walk is done
   */
  boolean page(Hash page);

  /** A chunk with bytes of a file, or with the value of an extended attribute. */
  void chunk(Hash chunk);
}
