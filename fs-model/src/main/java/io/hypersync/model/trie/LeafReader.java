package io.hypersync.model.trie;

import io.hypersync.model.codec.CanonicalReader;
import io.hypersync.model.codec.DecodeException;

/** Reads what {@link Leaf#writePage} wrote. */
@FunctionalInterface
public interface LeafReader<L extends Leaf> {
  /**
   * Reads one leaf.
   *
   * @param pages reads the tries that are inside the leaf
   */
  L read(CanonicalReader in, PageReader pages) throws DecodeException, PageMissingException;
}
