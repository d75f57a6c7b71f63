package io.hypersync.cli.trace;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.model.snapshot.ManifestStates;
import io.hypersync.model.state.RestoredStates;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.StoredPages;

/** The states that entries of a stopped leader's log restore, from the chunk store beside it. */
final class LoggedStates {
  private LoggedStates() {}

  /**
   * Reads them whole.
   *
   * @param version of the log's roots
   * @return throws UserError if a page cannot be read
   */
  static RestoredStates of(RootVersion version, ChunkStore chunks) {
    RestoredStates stored = ManifestStates.logged(version, new StoredPages(chunks, RateLimit.NONE));
    return manifest -> {
      try {
        return stored.read(manifest);
      } catch (PageUnreadableException e) {
        throw new UserError(
            "a state that an entry restores cannot be read: " + e.getMessage(),
            "Its pages are chunks of the same state directory. Look at the disk.");
      }
    };
  }
}
