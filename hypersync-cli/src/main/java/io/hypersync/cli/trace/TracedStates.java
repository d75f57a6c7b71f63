package io.hypersync.cli.trace;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.RestoredStates;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageReader;
import io.hypersync.model.trie.PageSource;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.StoredPages;

/**
 * The states whose pages a trace has. All of a state is read, and every hash computed. Somebody has
 * handed the file over: a page that is referred to again and again must not fill the heap, so no
 * more pages are read than a state of the weight that the manifest says can have, and that weight
 * must fit into half of the heap.
 */
final class TracedStates implements RestoredStates {
  /** A page takes more than 1 KiB, and what is in it at least as much of the heap. */
  private static final int LEAST_WEIGHT_PER_PAGE = 256;

  /** What any state may have. */
  private static final int SOME_PAGES = 64;

  private final RootVersion roots;
  private final StoredPages pages;

  /**
   * States of a replay.
   *
   * @param roots the version that their roots must have
   * @param store has the pages that were read so far
   */
  TracedStates(RootVersion roots, ChunkStore store) {
    this.roots = roots;
    this.pages = new StoredPages(store, RateLimit.NONE);
  }

  /**
   * The state that a trace begins with. The manifest says of which workspace it is, as a trace does
   * not.
   *
   * @throws DecodeException if it is none, is too large, or a page is not there or is not what is
   *     said of it
   */
  Manifest beginning(byte[] manifest) throws DecodeException {
    try {
      return whole(manifest);
    } catch (PageMissingException e) {
      throw new DecodeException(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public FsState read(byte[] manifest) throws DecodeException {
    try {
      return whole(manifest).state();
    } catch (PageMissingException e) {
      throw new PageUnreadableException(e.page(), e.getMessage(), e);
    }
  }

  private Manifest whole(byte[] manifest) throws DecodeException, PageMissingException {
    if (Manifest.version(manifest) != roots) {
      throw new DecodeException("the manifest has roots of version " + Manifest.version(manifest));
    }
    long weight = Manifest.weight(manifest);
    if (weight > Runtime.getRuntime().maxMemory() / 2) {
      throw new DecodeException(
          "a state of " + weight + " bytes does not fit into half of the heap");
    }
    return Manifest.read(
        manifest,
        Manifest.workspace(manifest),
        PageReader::verifying,
        bounded(weight / LEAST_WEIGHT_PER_PAGE + SOME_PAGES));
  }

  private PageSource bounded(long most) {
    return new PageSource() {
      private long read;

      @Override
      public byte[] get(Hash page) throws PageMissingException {
        read++;
        if (read > most) {
          throw new PageMissingException(page, "is one of more than the state can have");
        }
        return pages.get(page);
      }
    };
  }
}
