package io.hypersync.leader.standby;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.database.DatabaseException;
import io.hypersync.chunkstore.database.DatabaseOptions;
import io.hypersync.chunkstore.database.RocksDatabase;
import io.hypersync.chunkstore.disk.DiskChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStoreOptions;
import io.hypersync.leader.daemon.DeposedFile;
import io.hypersync.leader.daemon.HeapBudget;
import io.hypersync.leader.daemon.LineageFile;
import io.hypersync.leader.daemon.RootThread;
import io.hypersync.leader.daemon.TermFile;
import io.hypersync.leader.lineage.Deposition;
import io.hypersync.leader.lineage.Term;
import io.hypersync.leader.oplog.OpLogCorruptException;
import io.hypersync.leader.oplog.chronicle.ChronicleOpLog;
import io.hypersync.leader.recovery.LeaderState;
import io.hypersync.leader.recovery.LogReplay;
import io.hypersync.leader.recovery.ReplayException;
import io.hypersync.leader.recovery.ReplayStart;
import io.hypersync.leader.recovery.StateTooLargeException;
import io.hypersync.leader.sequencer.IntentIndex;
import io.hypersync.leader.sequencer.IntentRetention;
import io.hypersync.leader.sequencer.IntentStore;
import io.hypersync.leader.sequencer.IntentStoreException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.snapshot.ManifestStates;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.runtime.admin.StateLock;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.DurableFiles;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.runtime.log.LogEvent;
import io.hypersync.snapshot.CollectedFile;
import io.hypersync.snapshot.SnapshotReader;
import io.hypersync.snapshot.SnapshotReader.RoomCheck;
import io.hypersync.snapshot.daemon.Snapshots;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the state directory of a stopped standby that of a leader. It is looked at first as a
 * leader would at its start, and for the content of all files; what is incomplete is refused, and
 * nothing is changed that a standby could not go on with.
 *
 * <pre>
 *   step                                                             from then on durable
 *   1  intents/ has those before the log's first entry as forgotten    intents/
 *   2  the log is replayed, all roots compared; chunks of the newest  -
 *      state are looked for
 *   3  lineage of the leader that was followed, a term above its      lineage, term
 *   4  it is no standby any more                                      standby is gone
 * </pre>
 *
 * <p>After a crash before step 4 it is still a standby, and the same is done again.
 */
public final class Promotion {
  private static final Logger LOG = LoggerFactory.getLogger(Promotion.class);
  private static final DatabaseOptions INTENTS = new DatabaseOptions(64 << 20, 16 << 20);

  private final Path stateDir;
  private final WorkspaceId workspace;
  private final long droppable;
  private final long leastTerm;

  /**
   * What a standby has become.
   *
   * @param index the last entry that it has
   * @param root the Merkle root after it
   * @param nodes files and directories of the state
   * @param term in which it is led
   * @param loss what may be missing of what the leader has acknowledged
   */
  public record Promoted(long index, Hash root, long nodes, long term, Waited.Loss loss) {}

  /**
   * Prepares it.
   *
   * @param droppable as for {@link SnapshotReader#cache}
   * @param leastTerm the term is not lower than this; 0 if whoever orders the promotion knows none
   */
  public Promotion(Path stateDir, WorkspaceId workspace, long droppable, long leastTerm) {
    this.stateDir = stateDir;
    this.workspace = workspace;
    this.droppable = droppable;
    this.leastTerm = leastTerm;
  }

  /**
   * Does it.
   *
   * @param dryRun only look whether it is possible
   * @param acceptsLoss whether something may be missing that the leader has acknowledged, though it
   *     waits for this standby
   * @throws UserError if the directory is no standby's, or in use, or not complete: says what is
   *     missing
   */
  public Promoted promote(boolean dryRun, boolean acceptsLoss) {
    try (StateLock _ = StateLock.acquire(stateDir, "hypersync promote")) {
      StandbyFile standby =
          StandbyFile.read(stateDir)
              .orElseThrow(
                  () ->
                      new UserError(
                          stateDir + " is not the state of a standby",
                          "Name the workspace's folder that ./hypersync standby was started"
                              + " with: --dir <dir>"));
      if (!standby.workspace().equals(workspace)) {
        throw new UserError(
            stateDir + " is a standby of another workspace, " + standby.workspace(),
            "Name that one's folder: --dir <dir>");
      }
      Takeover.requireFollowed(standby);
      Term next = next(standby);
      LeaderState state = whole();
      Takeover.requireEntries(state.index());
      Waited.Loss loss = standby.waited().loss();
      if (!dryRun && loss.needsConsent() && !acceptsLoss) {
        throw new UserError(
            "this standby may lack what was acknowledged after its last entry, "
                + state.index()
                + ": "
                + why(standby.waited()),
            "If the old leader can be started, start that instead. To go on without what is"
                + " missing: --accept-loss");
      }
      if (!dryRun) {
        Takeover.of(standby, next, new Directory(stateDir));
        LOG.info(
            LogEvent.PROMOTED.marker().with("term", next.number()),
            "{} can be led in term {}",
            stateDir,
            next.number());
      }
      return new Promoted(
          state.index(), state.root(), state.state().nodes().size(), next.number(), loss);
    } catch (IOException e) {
      throw new UserError(
          "cannot use " + stateDir + ": " + FileProblems.describe(e), FileProblems.hint(e, ""));
    }
  }

  /**
   * A term that is higher than any that is known here: that of the leader which was followed, that
   * of the leader which has deposed this state, and its own before. Two standbys of one leader know
   * the same, so their promotions are told apart by {@link #leastTerm} only: the revision of a lock
   * that one of them at a time has.
   */
  private Term next(StandbyFile standby) {
    long known = standby.term();
    if (LineageFile.read(stateDir).id() == standby.lineage()) {
      known = Math.max(known, TermFile.read(stateDir).number());
    }
    Optional<Deposition> deposed = DeposedFile.read(stateDir);
    if (deposed.isPresent() && deposed.get().lineage() == standby.lineage()) {
      known = Math.max(known, deposed.get().term());
    }
    return Takeover.term(known, leastTerm);
  }

  private static String why(Waited waited) {
    return waited.loss() == Waited.Loss.NOT_CAUGHT_UP
        ? "it had not caught up, or the leader had gone on without it"
        : "the leader goes on alone when it has not heard of this standby for "
            + waited.aloneAfterMs()
            + " ms, and nobody here knows whether it has lived for so long";
  }

  /** The state that it would lead with; all of it is here. */
  private LeaderState whole() throws IOException {
    Path oplog = stateDir.resolve("oplog");
    if (!Files.isDirectory(oplog)) {
      throw new UserError("this standby has no log", Takeover.OTHERWISE);
    }
    try (DiskChunkStore chunks =
        DiskChunkStore.open(stateDir.resolve("chunks"), DiskChunkStoreOptions.DEFAULT)) {
      LeaderState state = replayed(oplog, chunks);
      Takeover.requireChunks(state.state(), chunks::contains);
      return state;
    } catch (ReplayException | OpLogCorruptException | PageUnreadableException gap) {
      throw new UserError("this standby is not complete: " + gap.getMessage(), Takeover.OTHERWISE);
    } catch (StateTooLargeException large) {
      throw new UserError(
          String.valueOf(large.getMessage()),
          "Give this command a larger heap, such as HYPERSYNC_JAVA_OPTS=-Xmx"
              + HeapBudget.twiceMib()
              + "m");
    } catch (IntentStoreException | DatabaseException | ChunkStoreException damaged) {
      throw new UserError(
          "this standby cannot be read: " + damaged.getMessage(), "Look at the disk.");
    }
  }

  private LeaderState replayed(Path oplog, DiskChunkStore chunks) throws IOException {
    long first = ChronicleOpLog.firstIndex(oplog);
    Path intentDir = stateDir.resolve("intents");
    if (Files.exists(intentDir)) {
      DurableFiles.deleteTree(intentDir); // of an earlier attempt: all of it is in the log
    }
    DurableFiles.createDirectories(intentDir);
    try (RocksDatabase rows = RocksDatabase.open(intentDir, INTENTS)) {
      IntentStore store = new IntentStore(rows, IntentRetention.DEFAULT);
      if (first > 1) {
        store.beginForgotten(first - 1); // a worker may still ask about one of those
      }
      Snapshots snapshots =
          Snapshots.read(
              stateDir, workspace, RoomCheck.NONE, SnapshotReader.cache(chunks, droppable, true));
      @Nullable Manifest newest = snapshots.newest();
      ReplayStart from =
          (newest == null ? ReplayStart.genesis(RootVersion.LATEST) : ReplayStart.of(newest))
              .provenBy(snapshots.known())
              .collectedThrough(CollectedFile.read(stateDir))
              .in(snapshots.cache().dirty())
              .restoring(ManifestStates.lazy(workspace, RootVersion.LATEST, snapshots.cache()));
      try (RootThread hashing = new RootThread()) {
        LogReplay replay =
            new LogReplay(
                from,
                chunks,
                new IntentIndex(store, IntentIndex.DEFAULT_BATCH),
                LogReplay.LONG_RUNS,
                hashing,
                HeapBudget.dirtyAtStart(droppable),
                index -> LOG.info("replayed {} entries", index));
        ChronicleOpLog.read(oplog, replay);
        return replay.result();
      }
    }
  }

  /** The files that a takeover changes. */
  private record Directory(Path stateDir) implements Takeover.Disk {
    @Override
    public void inherit(long lineage) {
      LineageFile.inherit(stateDir, lineage);
    }

    @Override
    public void begin(Term term) throws IOException {
      TermFile.takeOver(stateDir, term);
      DeposedFile.remove(stateDir); // that was in a lower one
    }

    @Override
    public void unmark() throws IOException {
      StandbyFile.remove(stateDir);
    }
  }
}
