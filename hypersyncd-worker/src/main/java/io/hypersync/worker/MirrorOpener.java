package io.hypersync.worker;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.worker.port.EntryMirror;
import java.util.function.Consumer;

/** Opens the mirror of a standby, once its state directory is locked and its chunks are open. */
@FunctionalInterface
public interface MirrorOpener {
  /**
   * Opens it.
   *
   * @param chunks what entries mention is there
   * @param failed ends the standby, later, with this error; any thread
   * @throws UserError if the state directory is not that of a standby, or cannot be used
   */
  EntryMirror open(ChunkStore chunks, Consumer<UserError> failed);
}
