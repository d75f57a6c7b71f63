package io.hypersync.leader;

import io.hypersync.fixtures.ManualClock;
import io.hypersync.leader.collection.CollectionManager;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.past.PastHolds;
import io.hypersync.leader.port.ChunkPort;
import io.hypersync.leader.port.IntentWritePort;
import io.hypersync.leader.port.LogTrimPort;
import io.hypersync.leader.port.NoChunks;
import io.hypersync.leader.port.RootAuditPort;
import io.hypersync.leader.port.SessionPort;
import io.hypersync.leader.presence.ResumeKey;
import io.hypersync.leader.recovery.LeaderState;
import io.hypersync.leader.restore.StateRestores;
import io.hypersync.leader.sequencer.IntentIndex;
import io.hypersync.leader.sequencer.IntentRetention;
import io.hypersync.leader.session.RecordingSessionPort;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.state.FsState;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.snapshot.schedule.SnapshotManager;

/**
 * What a leader is made of in a test: of a new workspace, with an empty log and parts that do
 * nothing, unless the test gives others.
 */
public final class LeaderParts {
  private static final ResumeKey RESUME_KEY = ResumeKey.generate();

  private LeaderConfig config;
  private LeaderState recovered =
      LeaderParts.genesis(IntentIndex.inMemory(IntentRetention.DEFAULT));
  private OpLog log = new MemoryOpLog();
  private ChunkPort chunks = new NoChunks();
  private RootAuditPort auditor = (index, root) -> {};
  private SnapshotManager snapshots;
  private CollectionManager collections = CollectionManager.none();
  private StateRestores.Start restores = StateRestores.Start.NONE;
  private IntentWritePort intentWriter = batch -> {};
  private SessionPort port = new RecordingSessionPort();
  private Clock clock = new ManualClock();
  private long entropy;

  /** Those of a leader of this workspace. */
  public LeaderParts(WorkspaceId workspace) {
    this.config = LeaderConfig.of(workspace);
    this.snapshots = SnapshotManager.none(workspace);
  }

  /** The empty filesystem, with these intents. */
  public static LeaderState genesis(IntentIndex intents) {
    return new LeaderState(FsState.genesis(), FsState.genesis().root(), 0, 0, intents);
  }

  LeaderParts config(LeaderConfig other) {
    config = other;
    return this;
  }

  public LeaderParts recovered(LeaderState state) {
    recovered = state;
    return this;
  }

  public LeaderParts log(OpLog other) {
    log = other;
    return this;
  }

  public LeaderParts chunks(ChunkPort other) {
    chunks = other;
    return this;
  }

  LeaderParts auditor(RootAuditPort other) {
    auditor = other;
    return this;
  }

  public LeaderParts snapshots(SnapshotManager other) {
    snapshots = other;
    return this;
  }

  public LeaderParts collections(CollectionManager other) {
    collections = other;
    return this;
  }

  public LeaderParts restores(StateRestores.Start other) {
    restores = other;
    return this;
  }

  LeaderParts intentWriter(IntentWritePort other) {
    intentWriter = other;
    return this;
  }

  public LeaderParts port(SessionPort other) {
    port = other;
    return this;
  }

  public LeaderParts clock(Clock other) {
    clock = other;
    return this;
  }

  /** A leader of these parts. */
  public LeaderAgent agent() {
    return new LeaderAgent(
        config,
        recovered,
        log,
        chunks,
        (session, from, bytes) -> {},
        auditor,
        snapshots,
        collections,
        PastHolds.Start.NONE,
        restores,
        intentWriter,
        LogTrimPort.NONE,
        port,
        clock,
        () -> ++entropy,
        (intent, times) -> {},
        RESUME_KEY);
  }
}
