package io.hypersync.model.trie;

import io.hypersync.model.codec.CanonicalReader;
import io.hypersync.model.codec.DecodeException;

/** Walks over what {@link Leaf#writePage} wrote. */
@FunctionalInterface
public interface LeafWalker {
  /**
   * Reads one leaf to its end without making it.
   *
   * @param pages told of the tries and chunks that the leaf has
   */
  void walk(CanonicalReader in, PageWalker pages) throws DecodeException;
}
