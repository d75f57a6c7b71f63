package io.hypersync.sim.node;

import io.hypersync.leader.lineage.Lineage;
import io.hypersync.leader.lineage.Term;
import io.hypersync.leader.oplog.OpLogCorruptException;
import io.hypersync.leader.recovery.LeaderState;
import io.hypersync.leader.recovery.LogReplay;
import io.hypersync.leader.recovery.ReplayException;
import io.hypersync.leader.recovery.ReplayStart;
import io.hypersync.leader.recovery.RootHashing;
import io.hypersync.leader.sequencer.IntentIndex;
import io.hypersync.leader.sequencer.IntentRetention;
import io.hypersync.leader.sequencer.IntentStore;
import io.hypersync.leader.standby.StandbyFile;
import io.hypersync.leader.standby.Takeover;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.snapshot.ManifestStates;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.sim.disk.LeaderDisk;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotReader;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An operator's promote, on the disk of a simulated standby that has stopped. */
public final class SimPromotion {
  private final LeaderDisk disk;
  private final WorkspaceId workspace;
  private final StandbyFile mark;

  /** A promotion of a disk that is a standby's. */
  public SimPromotion(LeaderDisk disk, WorkspaceId workspace) {
    this.disk = disk;
    this.workspace = workspace;
    StandbyFile found = disk.mark();
    if (found == null) {
      throw new IllegalStateException("no standby's disk");
    }
    this.mark = found;
  }

  /** Why it cannot lead; null if it can. The disk is as after a leader's start and stop. */
  public @Nullable String refused() {
    try {
      Takeover.requireFollowed(mark);
      LeaderState state = replayed();
      Takeover.requireEntries(state.index());
      Takeover.requireChunks(state.state(), disk.chunks()::contains);
      return null;
    } catch (UserError
        | ReplayException
        | OpLogCorruptException
        | PageUnreadableException incomplete) {
      return String.valueOf(incomplete.getMessage());
    } catch (IOException e) {
      throw new IllegalStateException("a disk that nobody has damaged", e);
    } finally {
      disk.crash(false);
    }
  }

  /**
   * Makes it a leader's.
   *
   * @param crashes whether a crash comes before the last step
   */
  public void takeOver(boolean crashes) {
    try {
      Takeover.of(
          mark,
          Takeover.term(mark.term(), 0),
          new Takeover.Disk() {
            @Override
            public void inherit(long lineage) {
              disk.lineage(new Lineage(lineage, List.of()));
            }

            @Override
            public void begin(Term term) {
              disk.term(term);
            }

            @Override
            public void unmark() {
              if (!crashes) {
                disk.mark(null);
              }
            }
          });
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private LeaderState replayed() throws IOException {
    disk.chunks().sync(); // as the product's store does when it is opened
    disk.forgetIntents();
    IntentStore store = new IntentStore(disk.intents(), IntentRetention.DEFAULT);
    if (disk.firstIndex() > 1) {
      store.beginForgotten(disk.firstIndex() - 1);
    }
    PageCache pages = SnapshotReader.cache(disk.chunks(), Long.MAX_VALUE, false);
    List<Snapshot> known = disk.snapshots().known();
    Manifest newest =
        SnapshotReader.newest(known, pages, workspace, SnapshotReader.RoomCheck.NONE, true);
    ReplayStart start =
        (newest == null ? ReplayStart.genesis(RootVersion.LATEST) : ReplayStart.of(newest))
            .provenBy(known)
            .collectedThrough(disk.collected().through())
            .in(pages.dirty())
            .restoring(ManifestStates.lazy(workspace, RootVersion.LATEST, pages));
    LogReplay replay =
        new LogReplay(
            start,
            disk.chunks(),
            new IntentIndex(store, IntentIndex.DEFAULT_BATCH),
            LogReplay.LONG_RUNS,
            RootHashing.AT_ONCE,
            Long.MAX_VALUE,
            _ -> {});
    var _ = disk.open(replay);
    return replay.result();
  }
}
