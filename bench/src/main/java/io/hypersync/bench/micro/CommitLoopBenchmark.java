package io.hypersync.bench.micro;

import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.LeaderConfig;
import io.hypersync.leader.collection.CollectionManager;
import io.hypersync.leader.oplog.ChunkSync;
import io.hypersync.leader.oplog.OpLogOptions;
import io.hypersync.leader.oplog.RecoveryListener.Verdict;
import io.hypersync.leader.oplog.chronicle.ChronicleOpLog;
import io.hypersync.leader.past.PastHolds;
import io.hypersync.leader.port.LogTrimPort;
import io.hypersync.leader.port.NoChunks;
import io.hypersync.leader.port.SessionPort;
import io.hypersync.leader.presence.ResumeKey;
import io.hypersync.leader.recovery.LeaderState;
import io.hypersync.leader.restore.StateRestores;
import io.hypersync.leader.sequencer.IntentIndex;
import io.hypersync.leader.sequencer.IntentRetention;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.OpCodec;
import io.hypersync.model.op.RenameMode;
import io.hypersync.model.state.FsState;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.snapshot.schedule.SnapshotManager;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.WorkerMessage.Hello;
import io.hypersync.wire.message.WorkerMessage.SubmitIntent;
import io.hypersync.wire.message.WorkerMessage.WorkerApplied;
import io.hypersync.wire.transport.PathFigures;
import io.hypersync.wire.transport.SessionId;
import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The leader from a decoded intent to its ack: deduplication, sequencing, state, Merkle root, log,
 * sync, and the log stream to one worker. Only the network is left out.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class CommitLoopBenchmark {
  private static final int COMMITS = 512;

  public CommitLoopBenchmark() {}

  /** A leader with one worker, and one file that is renamed to and fro. */
  @State(Scope.Benchmark)
  public static class Leader implements SessionPort {
    private static final byte[] NOTHING = {};
    private static final WorkspaceId WORKSPACE = new WorkspaceId(1, 1);
    private static final WorkerId WORKER = new WorkerId("w");
    private static final ClientId CLIENT = new ClientId(1, 2);
    private static final SessionId SESSION = new SessionId(1);
    private static final Name HERE = Name.of("here");
    private static final Name THERE = Name.of("there");

    /** Number of intents in flight at once. */
    @Param({"1", "8", "64", "512"})
    public int batch;

    private final byte[] there =
        OpCodec.encode(
            new FsOp.Rename(FsState.ROOT, HERE, FsState.ROOT, THERE, RenameMode.REPLACE));
    private final byte[] back =
        OpCodec.encode(
            new FsOp.Rename(FsState.ROOT, THERE, FsState.ROOT, HERE, RenameMode.REPLACE));
    private Scratch scratch;
    private Durability durability;
    private ChronicleOpLog log;
    private LeaderAgent agent;
    private long submitted;
    private long acknowledged;

    public Leader() {}

    /** Starts a leader on an empty workspace. */
    @Setup
    public void start() throws IOException {
      scratch = Scratch.create();
      durability = new Durability();
      log =
          ChronicleOpLog.open(
              scratch.folder("oplog"),
              OpLogOptions.DEFAULT,
              ChunkSync.NONE,
              (_, _) -> Verdict.KEEP,
              durability);
      FsState empty = FsState.genesis();
      IntentIndex intents = IntentIndex.inMemory(new IntentRetention(1, 0));
      SplittableRandom random = new SplittableRandom(1);
      agent =
          new LeaderAgent(
              LeaderConfig.of(WORKSPACE),
              new LeaderState(empty, empty.root(), 0, 0, intents),
              log,
              new NoChunks(),
              (_, _, _) -> {},
              (_, _) -> {},
              SnapshotManager.none(WORKSPACE),
              CollectionManager.none(),
              PastHolds.Start.NONE,
              StateRestores.Start.NONE,
              batch -> {
                intents.store().write(batch);
                agent.intentsWritten(batch);
              },
              LogTrimPort.NONE,
              this,
              Clock.SYSTEM,
              random::nextLong,
              (_, _) -> {},
              ResumeKey.generate());
      agent.sessionOpened(SESSION, WORKER, "here");
      agent.received(
          SESSION,
          new Hello(WORKSPACE, WORKER, OptionalLong.empty(), 0, empty.root(), new ClientId(3, 3)));
      submit(OpCodec.encode(new FsOp.CreateFile(FsState.ROOT, HERE, 0644, 0, 0)));
      awaitAll();
    }

    @TearDown
    public void stop() throws IOException {
      log.close();
      scratch.close();
    }

    /** Submits this many intents and waits for their acks. */
    void commit(int count) {
      for (int i = 0; i < count; i++) {
        submit(submitted % 2 == 1 ? there : back);
      }
      awaitAll();
      agent.received(SESSION, new WorkerApplied(log.durableIndex(), Hash.ZERO, false, 0, null));
    }

    private void submit(byte[] op) {
      submitted++;
      agent.received(
          SESSION,
          new SubmitIntent(new IntentId(CLIENT, submitted), "bench", op, NOTHING, List.of()));
    }

    private void awaitAll() {
      while (acknowledged < submitted) {
        long seen = durability.index();
        if (agent.doWork() == 0 && acknowledged < submitted) {
          durability.park(seen);
        }
      }
    }

    @Override
    public void send(SessionId session, LeaderMessage message) {
      if (message instanceof LeaderMessage.CommitAck ack) {
        if (ack.errno() != null) {
          throw new IllegalStateException("refused: " + ack);
        }
        acknowledged++;
      }
    }

    @Override
    public void flush() {}

    @Override
    public boolean logWritable(SessionId session) {
      return true;
    }

    @Override
    public boolean bulkWritable(SessionId session) {
      return true;
    }

    @Override
    public int maxSymbolBytes(SessionId session) {
      return 0;
    }

    @Override
    public void measure(SessionId session, Consumer<PathFigures> then) {}

    @Override
    public void close(SessionId session, LeaderMessage.@Nullable Refused lastWord) {
      throw new IllegalStateException("the leader ends the session: " + lastWord);
    }
  }

  /** One commit of a rename, with {@code batch} intents in flight. */
  @Benchmark
  @OperationsPerInvocation(COMMITS)
  @Reference("disk")
  public void commit(Leader leader) {
    for (int done = 0; done < COMMITS; done += leader.batch) {
      leader.commit(leader.batch);
    }
  }

  /** The floor of a single commit: one durable overwrite. */
  @Benchmark
  public void disk(DiskFloor floor) throws IOException {
    floor.overwrite();
  }
}
