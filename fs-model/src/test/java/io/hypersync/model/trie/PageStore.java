package io.hypersync.model.trie;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Pages in memory, with a record of those that were read. */
public final class PageStore implements PageSink, PageSource {
  private final Map<Hash, byte[]> pages = new HashMap<>();
  private final Set<Hash> read = new HashSet<>();

  @Override
  public Hash put(byte[] page) {
    Hash hash = Blake3.hash(page);
    pages.put(hash, page);
    return hash;
  }

  @Override
  public byte[] get(Hash page) throws PageMissingException {
    byte[] bytes = pages.get(page);
    if (bytes == null) {
      throw new PageMissingException(page, "is missing");
    }
    read.add(page);
    return bytes;
  }

  /** The pages by hash; changes of the map are changes of the store. */
  public Map<Hash, byte[]> pages() {
    return pages;
  }

  /** Deletes all pages that were not read since the last call, as a collection would. */
  public void keepOnlyRead() {
    pages.keySet().retainAll(read);
    read.clear();
  }
}
