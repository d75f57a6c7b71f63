package io.hypersync.leader.standby;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.leader.daemon.DeposedFile;
import io.hypersync.leader.daemon.TermFile;
import io.hypersync.leader.lineage.Deposition;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.oplog.RecoveryListener;
import io.hypersync.leader.oplog.chronicle.ChronicleOpLog;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.runtime.file.DurableFiles;
import io.hypersync.runtime.log.LogEvent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the state directory of a leader that was deposed that of a standby. Its own log is put
 * aside, and another one begins behind the newest snapshot. When that one has caught up with the
 * leader that is followed, the two are compared, and what only the old one has is kept ({@link
 * LeftBehind}).
 *
 * <pre>
 *   step                                                   from then on durable
 *   1  no leader leads it, and none of a lower term is      standby
 *      followed
 *   2  what it knew as a leader, and had seen, is removed   intents, windows, ..., seen
 *   3  the old log is put aside                             oplog.deposed
 *   4  the new log has caught up, the two are compared      left-behind/...
 *   5  it is a standby like any other                       deposed is gone
 *   6  the old log is removed                               oplog.deposed is gone
 * </pre>
 *
 * <p>After a crash the same is done again from the first step that is not durable: while {@code
 * deposed} is there, and no leader was followed, a log without {@code oplog.deposed} beside it is
 * the old one.
 */
final class Rejoin {
  private static final Logger LOG = LoggerFactory.getLogger(Rejoin.class);
  private static final String OPLOG = "oplog";
  private static final String OLD = "oplog.deposed";

  /** Those that a promotion makes anew, and those that do not travel to any standby. */
  private static final List<String> OF_LEADERS =
      List.of("intents", "windows", "past", "restores", "mail", "synchronous", "seen");

  private final Path stateDir;
  private final ChunkStore chunks;
  private final long oldTerm;
  private final boolean isNew;

  private Rejoin(Path stateDir, ChunkStore chunks, long oldTerm, boolean isNew) {
    this.stateDir = stateDir;
    this.chunks = chunks;
    this.oldTerm = oldTerm;
    this.isNew = isNew;
  }

  /**
   * Steps 1 to 3, if the directory is that of a deposed leader or of one that is on its way to be a
   * standby. The caller holds the directory's lock.
   *
   * @param chunks those of the directory
   * @return what is left to be done; empty if nobody has deposed its leader, or all is done
   */
  static Optional<Rejoin> begin(Path stateDir, WorkspaceId workspace, ChunkStore chunks)
      throws IOException {
    Optional<Deposition> deposed = DeposedFile.read(stateDir);
    if (deposed.isEmpty()) {
      if (Files.exists(stateDir.resolve(OLD))) {
        DurableFiles.deleteTree(stateDir.resolve(OLD)); // it was compared
      }
      return Optional.empty();
    }
    Optional<StandbyFile> standby = StandbyFile.read(stateDir);
    boolean isStandby = standby.isPresent();
    if (!isStandby && !DeposedFile.isDeposed(stateDir)) {
      return Optional.empty(); // it was rewound, or promoted, since
    }
    Path old = stateDir.resolve(OLD);
    if (!isStandby) {
      if (Files.exists(old)) {
        LeftBehind.keepWhole(stateDir, old); // of an earlier time, which was not completed
      }
      // It begins anew, so it lacks what was acknowledged until it has caught up.
      new StandbyFile(
              workspace, deposed.get().lineage(), deposed.get().term(), false, Waited.UNKNOWN)
          .write(stateDir);
      LOG.warn(
          LogEvent.DEPOSED.marker(),
          "{} was led in term {}, and is that of a standby now",
          stateDir,
          term(stateDir));
    }
    // Once it has followed, the log is its own, and the old one was compared.
    boolean hasFollowed = standby.map(StandbyFile::hasFollowed).orElse(false);
    if (!hasFollowed && !Files.exists(old) && Files.exists(stateDir.resolve(OPLOG))) {
      for (String name : OF_LEADERS) {
        Path gone = stateDir.resolve(name);
        if (Files.exists(gone)) {
          DurableFiles.deleteTree(gone);
        }
      }
      Files.move(stateDir.resolve(OPLOG), old, StandardCopyOption.ATOMIC_MOVE);
      DurableFiles.syncDirectory(stateDir);
    }
    return Optional.of(
        new Rejoin(stateDir, chunks, term(stateDir), Files.notExists(stateDir.resolve(OPLOG))));
  }

  /** Whether the standby has not begun yet, so that all snapshots are those of the old leader. */
  boolean isNew() {
    return isNew;
  }

  private static long term(Path stateDir) {
    return TermFile.read(stateDir).number();
  }

  /**
   * Steps 4 to 6. Reads the old log from the first entry of the new one on, so as much as was
   * committed since the snapshot that the standby has begun with.
   *
   * @param log the new log; durable up to {@code commitIndex} at least
   * @param commitIndex the last entry of the leader that is followed when it has accepted this
   *     standby; what is behind it in the old log is not that leader's, which had nothing more then
   * @param isOwnBeginning whether the state before the log's first entry is that of a snapshot of
   *     the deposed leader; else nothing is known of the entries before
   */
  void finish(OpLog log, long commitIndex, boolean isOwnBeginning) throws IOException {
    Path old = stateDir.resolve(OLD);
    if (Files.exists(old)) {
      Parting parting = new Parting(log, commitIndex);
      try {
        ChronicleOpLog.read(old, parting);
      } catch (UncheckedIOException e) {
        throw e.getCause();
      }
      if (parting.hasSame || isOwnBeginning) {
        if (parting.first > 0) {
          LeftBehind.keep(stateDir, old, oldTerm, parting.first, chunks);
        } else {
          LOG.info(
              "the leader that is followed has all that was committed here in term {}", oldTerm);
        }
      } else if (parting.last > 0) {
        LeftBehind.keepWhole(stateDir, old);
      }
      DurableFiles.syncDirectory(stateDir);
    }
    DeposedFile.remove(stateDir);
    if (Files.exists(old)) { // in the end: half of a log could not be compared again
      DurableFiles.deleteTree(old);
    }
  }

  /** Finds the first entry of the old log that the new one does not have. */
  private static final class Parting implements RecoveryListener {
    private final OpLog log;
    private final long commitIndex;
    private boolean hasSame;
    private long first;
    private long last;

    Parting(OpLog log, long commitIndex) {
      this.log = log;
      this.commitIndex = commitIndex;
    }

    @Override
    public Verdict onRecord(long index, byte[] payload) {
      last = index;
      if (first == 0 && index >= log.firstIndex()) {
        if (index <= commitIndex && isSame(index, payload)) {
          hasSame = true;
        } else {
          first = index;
        }
      }
      return Verdict.KEEP;
    }

    private boolean isSame(long index, byte[] payload) {
      try {
        return Arrays.equals(log.read(index), payload);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
