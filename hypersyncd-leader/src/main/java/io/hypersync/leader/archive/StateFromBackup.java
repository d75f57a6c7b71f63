package io.hypersync.leader.archive;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.database.DatabaseException;
import io.hypersync.chunkstore.database.DatabaseOptions;
import io.hypersync.chunkstore.database.RocksDatabase;
import io.hypersync.chunkstore.disk.DiskChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStoreOptions;
import io.hypersync.leader.backup.CopyProgress;
import io.hypersync.leader.backup.StateCopy;
import io.hypersync.leader.oplog.chronicle.LogBeginning;
import io.hypersync.leader.sequencer.IntentRetention;
import io.hypersync.leader.sequencer.IntentStore;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.DurableFiles;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * Makes the state directory of a leader that begins with a state of a backup, in another workspace.
 * It is what a leader has whose log was trimmed up to that state's last entry:
 *
 * <pre>
 *   step                                                             from then on durable
 *   1  pages and chunks are copied into chunks/, each with its hash
 *   2  every hash up to the root is computed from what was copied    chunks/
 *   3  oplog/ begins behind the entry, without entries               oplog/
 *   4  intents/ begins behind the entry, without intents             intents/
 *   5  snapshots/ gets the state, as one of the new workspace        snapshots/
 * </pre>
 *
 * <p>Nothing refers to the directory before all that is done, so an interruption leaves one that is
 * to be deleted.
 */
public final class StateFromBackup {
  private static final int MOST_SEEN = 1 << 18;
  private static final int STEPS_PER_PROGRESS = 10_000;
  private static final DatabaseOptions INTENTS = new DatabaseOptions(1 << 20, 1 << 20);

  private final BackupDirectory backup;
  private final Snapshot state;

  /**
   * What was made.
   *
   * @param index the last entry that the state has
   * @param root its Merkle root
   * @param copied pages and chunks
   */
  public record Made(long index, Hash root, CopyProgress copied) {}

  /**
   * Prepares it.
   *
   * @param state one of those in the backup's catalog
   */
  public StateFromBackup(BackupDirectory backup, Snapshot state) {
    this.backup = backup;
    this.state = state;
  }

  /**
   * Makes the state directory.
   *
   * @param stateDir exists, and is empty
   * @param workspace the new one
   * @param progress is told now and then
   * @throws UserError if the backup is damaged or not complete, says what is missing; or if there
   *     is no room
   * @throws IOException if the directory cannot be written
   */
  public Made make(Path stateDir, WorkspaceId workspace, Consumer<CopyProgress> progress)
      throws IOException {
    try {
      requireLatestRoots();
      byte[] manifest = Manifest.inWorkspace(state.manifest(), workspace);
      Path chunkDir = stateDir.resolve("chunks");
      DurableFiles.createDirectories(chunkDir);
      CopyProgress copied;
      Snapshot ours;
      Hash root;
      try (DiskChunkStore chunks = DiskChunkStore.open(chunkDir, DiskChunkStoreOptions.DEFAULT)) {
        copied = copy(chunks, progress);
        chunks.sync();
        ours =
            new Snapshot(
                state.index(),
                state.takenNs(),
                copied.copiedPages(),
                copied.copiedBytes(),
                false,
                "",
                manifest);
        root = VerifiedRoot.of(ours, chunks, workspace, backup.directory().toString());
      }
      LogBeginning.write(stateDir.resolve("oplog"), RootVersion.LATEST, state.index() + 1);
      beginIntents(stateDir.resolve("intents"));
      SnapshotDirectory.of(stateDir).put(ours);
      return new Made(state.index(), root, copied);
    } catch (DecodeException e) {
      throw damaged(String.valueOf(e.getMessage()));
    } catch (ChunkStoreException e) {
      throw failed(stateDir, e.errno(), String.valueOf(e.getMessage()));
    } catch (DatabaseException e) {
      throw failed(stateDir, e.errno(), String.valueOf(e.getMessage()));
    }
  }

  private void requireLatestRoots() throws DecodeException {
    RootVersion version = Manifest.version(state.manifest());
    if (version != RootVersion.LATEST) {
      throw new UserError(
          "the roots of the state have version "
              + version.code()
              + ", and this version of hypersync writes "
              + RootVersion.LATEST.code(),
          "Restore it with the version of hypersync that has made the backup.");
    }
  }

  private CopyProgress copy(DiskChunkStore chunks, Consumer<CopyProgress> progress)
      throws DecodeException {
    StateCopy copy =
        new StateCopy(
            state.manifest(),
            backup.label().workspace(),
            backup.chunks(),
            chunks,
            StateCopy.Trust.INDEX,
            RateLimit.NONE,
            MOST_SEEN,
            MOST_SEEN);
    try {
      for (long steps = 1; copy.step(); steps++) {
        if (steps % STEPS_PER_PROGRESS == 0) {
          progress.accept(copy.progress());
        }
      }
    } catch (StateCopy.SourceException e) {
      throw damaged(String.valueOf(e.getMessage()));
    }
    return copy.progress();
  }

  private void beginIntents(Path directory) throws IOException {
    DurableFiles.createDirectories(directory);
    try (RocksDatabase rows = RocksDatabase.open(directory, INTENTS)) {
      new IntentStore(rows, IntentRetention.DEFAULT).beginBehind(state.index());
    }
  }

  private UserError damaged(String what) {
    return new UserError(
        "the state of entry "
            + state.index()
            + " in "
            + backup.directory()
            + " is not whole: "
            + what,
        "See what else is missing: ./hypersync backup --verify <dir>. Take another state: --at"
            + " <index>.");
  }

  private static UserError failed(Path stateDir, Errno errno, String what) {
    return new UserError(
        "cannot write " + stateDir + ": " + what,
        errno == Errno.ENOSPC ? "Free space there, then do the same again." : "Look at the disk.");
  }
}
