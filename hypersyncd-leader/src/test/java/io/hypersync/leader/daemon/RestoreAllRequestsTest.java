package io.hypersync.leader.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.chunkstore.CollectionRun;
import io.hypersync.chunkstore.InMemoryChunkStore;
import io.hypersync.fixtures.ManualClock;
import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.LeaderConfig;
import io.hypersync.leader.LeaderParts;
import io.hypersync.leader.MemoryOpLog;
import io.hypersync.leader.hazard.TouchWindow;
import io.hypersync.leader.history.WholeDifference;
import io.hypersync.leader.oplog.RecoveryListener.Verdict;
import io.hypersync.leader.port.NoChunks;
import io.hypersync.leader.recovery.LeaderState;
import io.hypersync.leader.recovery.LogReplay;
import io.hypersync.leader.recovery.ReplayStart;
import io.hypersync.leader.recovery.RootHashing;
import io.hypersync.leader.sequencer.IntentIndex;
import io.hypersync.leader.sequencer.IntentRetention;
import io.hypersync.leader.session.Hellos;
import io.hypersync.model.difference.StateDifference;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.snapshot.ManifestStates;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.RestoredStates;
import io.hypersync.model.state.StateWeight;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.agent.AgentQueries;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.snapshot.HeldRestore;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.RestoresFile;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotDirectory;
import io.hypersync.snapshot.SnapshotReader;
import io.hypersync.snapshot.SnapshotTask;
import io.hypersync.snapshot.schedule.SnapshotManager;
import io.hypersync.snapshot.schedule.SnapshotPolicy;
import io.hypersync.snapshot.schedule.SnapshotPort;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.transport.SessionId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A leader that restores everything by one entry, asked as by its admin socket. */
@Timeout(60)
class RestoreAllRequestsTest {
  private static final WorkspaceId WORKSPACE = new WorkspaceId(1, 1);
  private static final WorkerId WORKER = new WorkerId("w1");
  private static final SessionId SESSION = new SessionId(1);
  private static final long LIMIT_S = 20;
  private static final int FILES = 300;
  private static final int TURNS = 20;
  private static final long SECOND_NS = 1_000_000_000L;

  @TempDir private Path directory;

  private final ManualClock clock = new ManualClock();
  private final MemoryOpLog log = new MemoryOpLog();
  private final InMemoryChunkStore chunks = new InMemoryChunkStore();
  private final PageCache cache = SnapshotReader.cache(chunks, Long.MAX_VALUE, true);
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final ExecutorService loop = Executors.newSingleThreadExecutor();
  private final SlowRequests slow = new SlowRequests("test", "busy", ended);
  private RestoresFile file;
  private RestoreHoldThread holds;
  private LeaderAgent leader;
  private RestoreAllRequests requests;

  @BeforeEach
  void start() {
    file = new RestoresFile(directory);
    holds = new RestoreHoldThread(file, this::post);
    FsState genesis = FsState.genesis();
    cache.dirty().begins(StateWeight.of(genesis));
    RestoredStates restored = ManifestStates.lazy(WORKSPACE, RootVersion.LATEST, cache);
    leader =
        new LeaderParts(WORKSPACE)
            .recovered(
                new LeaderState(
                    genesis,
                    genesis.root(),
                    0,
                    0,
                    IntentIndex.inMemory(IntentRetention.DEFAULT),
                    StateWeight.of(genesis),
                    cache.dirty(),
                    restored,
                    new TouchWindow()))
            .log(log)
            .chunks(new StoredChunks())
            .snapshots(
                new SnapshotManager(
                    new Snapshots(),
                    new SnapshotPolicy(Long.MAX_VALUE, 10),
                    WORKSPACE,
                    List.of(),
                    0,
                    0))
            .restores(new RestoreCatalog(file, List.of(), List.of()).start(holds))
            .clock(clock)
            .agent();
    Moments moments =
        new Moments(
            new AgentQueries<>("the leader", this::post, ended, Duration.ofSeconds(10)),
            this::post,
            log,
            chunks,
            WORKSPACE,
            Clock.SYSTEM,
            slow);
    requests =
        new RestoreAllRequests(this::post, moments, log, chunks, cache, Clock.SYSTEM, slow, ended);
    settle();
  }

  @AfterEach
  void stop() {
    ended.complete(null);
    slow.close();
    holds.close();
    loop.close();
  }

  private void post(Consumer<LeaderAgent> call) {
    loop.execute(
        () -> {
          call.accept(leader);
          var _ = leader.doWork();
          var _ = log.sync();
          var _ = leader.doWork();
        });
  }

  private <T> T on(Function<LeaderAgent, T> question) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    post(agent -> answer.complete(question.apply(agent)));
    try {
      return answer.get(LIMIT_S, TimeUnit.SECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The leader has run for so long that it knows what is open. */
  private void settle() {
    for (int i = 0; i < TURNS; i++) {
      clock.advance(LeaderConfig.of(WORKSPACE).openLeaseTtlNs() / TURNS * 2);
      var _ = on(_ -> 0);
    }
  }

  private long commit(FsOp op) {
    return on(
        agent -> {
          assertNull(agent.intentHandler().submitOwn(op), op::toString);
          return agent.sequencer().headIndex();
        });
  }

  private long create(String name) {
    return commit(new FsOp.CreateFile(FsState.ROOT, Name.of(name), 0644, 0, 0));
  }

  private long remove(String name) {
    return commit(new FsOp.Unlink(FsState.ROOT, Name.of(name)));
  }

  private long head() {
    return on(agent -> agent.sequencer().headIndex());
  }

  private void requireIdle() {
    boolean isBusy = on(agent -> agent.restores().isBusy());
    assertFalse(isBusy);
  }

  private @Nullable Node node(String name) {
    return on(
        agent -> {
          FsState head = agent.sequencer().head();
          return head.lookup(Objects.requireNonNull(head.node(FsState.ROOT)), Name.of(name));
        });
  }

  private ObjectNode ask(long at, boolean isDry) {
    return requests.run(
        JsonNodeFactory.instance.objectNode().put("at", Long.toString(at)).put("dry_run", isDry));
  }

  private long many() {
    long last = 0;
    for (int i = 0; i < FILES; i++) {
      last = create("a rather long name of a file " + i);
    }
    return last;
  }

  private void removeMany() {
    for (int i = 0; i < FILES; i++) {
      var _ = remove("a rather long name of a file " + i);
    }
  }

  @Test
  void aDryRunSaysWhatChangesAndDoesNothing() {
    create("kept");
    long at = create("gone");
    remove("gone");
    long newest = create("new");
    ObjectNode answer = ask(at, true);
    assertEquals("{\"back\":1,\"gone\":1,\"changed\":0}", answer.path("files").toString());
    assertEquals("{\"back\":0,\"gone\":0,\"changed\":1}", answer.path("directories").toString());
    assertEquals(newest, answer.path("head_index").asLong());
    assertEquals(newest, head());
    requireIdle();
  }

  @Test
  void everythingIsRestoredByOneEntryAndBackAgain() throws IOException {
    long at = many();
    FsState then = on(agent -> agent.sequencer().head());
    removeMany();
    long before = create("new");
    FsState now = on(agent -> agent.sequencer().head());
    ObjectNode answer = ask(at, false);
    long entry = answer.path("last_index").asLong();
    assertEquals(before + 1, entry);
    assertEquals(entry, head());
    assertNull(node("new"));
    requireTree(then);
    assertEquals(1, ask(before, false).path("entries").asLong());
    requireTree(now);
    assertNotNull(node("new"));
    List<HeldRestore> held = awaitExact(2);
    assertEquals(List.of(entry, entry + 1), held.stream().map(HeldRestore::entry).toList());
    requireReplay();
    long snapshot = on(agent -> agent.snapshots().newestIndex());
    assertEquals(entry + 1, snapshot, "one is taken at once");
  }

  private void requireTree(FsState wanted) {
    FsState head = on(agent -> agent.sequencer().head());
    WholeDifference found =
        WholeDifference.of(wanted, head, StateDifference.Limits.NONE, _ -> true);
    for (WholeDifference.Counts counts : List.of(found.files(), found.directories())) {
      assertEquals(0, counts.backs() + counts.gone() + counts.changed());
    }
  }

  private List<HeldRestore> awaitExact(int count) throws IOException {
    while (true) {
      List<HeldRestore> said = Objects.requireNonNull(file.read());
      if (said.size() == count && said.stream().allMatch(HeldRestore::isExact)) {
        return said;
      }
      clock.advance(SECOND_NS);
      var _ = on(_ -> 0);
    }
  }

  /** A start finds the same state, and what is held. */
  private void requireReplay() throws IOException {
    long last = head();
    PageCache fresh = SnapshotReader.cache(chunks, Long.MAX_VALUE, true);
    LogReplay replay =
        new LogReplay(
            ReplayStart.genesis(RootVersion.LATEST)
                .in(fresh.dirty())
                .restoring(ManifestStates.lazy(WORKSPACE, RootVersion.LATEST, fresh)),
            chunks,
            IntentIndex.inMemory(IntentRetention.DEFAULT),
            LogReplay.LONG_RUNS,
            RootHashing.AT_ONCE,
            Long.MAX_VALUE,
            _ -> {});
    for (long i = 1; i <= last; i++) {
      assertEquals(Verdict.KEEP, replay.onRecord(i, log.read(i)));
    }
    replay.ended();
    Manifest newest = on(agent -> agent.sequencer().manifest(WORKSPACE));
    assertEquals(newest.state().root(), replay.result().root());
    assertEquals(newest.weight(), replay.result().weight());
    RestoreCatalog found = RestoreCatalog.read(directory, log, last);
    assertEquals(
        Objects.requireNonNull(file.read()).size(), found.held().size(), "what is said is held");
  }

  @Test
  void whatIsOpenOnAWorkerStaysOpen() {
    long at = create("kept");
    create("open");
    create("closed");
    NodeId open = Objects.requireNonNull(node("open")).id();
    NodeId closed = Objects.requireNonNull(node("closed")).id();
    post(agent -> agent.sessionOpened(SESSION, WORKER, "here"));
    post(agent -> agent.received(SESSION, Hellos.ofNew(WORKSPACE, WORKER, new ClientId(7, 7))));
    post(
        agent -> {
          agent.received(SESSION, new WorkerMessage.OpenLeaseAcquire(agent.epoch(), List.of(open)));
          long head = agent.sequencer().headIndex();
          agent.received(
              SESSION,
              new WorkerMessage.WorkerApplied(
                  head, agent.sequencer().head().root(), false, 0, null));
        });
    var _ = ask(at, false);
    FsState head = on(agent -> agent.sequencer().head());
    assertTrue(Objects.requireNonNull(head.node(open)).isOrphan());
    assertNull(head.node(closed));
  }

  @Test
  void theNewestStateNeedsNoEntry() {
    long at = create("a");
    assertEquals(0, ask(at, false).path("entries").asLong());
    assertEquals(at, head());
    requireIdle();
  }

  @Test
  void aStateWhoseContentIsGoneIsRefusedAndNothingStaysHeld() {
    create("f");
    byte[] bytes = "what was there".getBytes(StandardCharsets.UTF_8);
    ChunkRef ref = new ChunkRef(Blake3.hash(bytes), bytes.length);
    chunks.put(ref.hash(), bytes);
    NodeId node = Objects.requireNonNull(node("f")).id();
    long at = commit(new FsOp.Write(node, WriteMode.PWRITE, 0, List.of(ref), false));
    long newest = commit(new FsOp.Truncate(node, 0, false));
    CollectionRun run = chunks.beginCollection();
    while (!run.sweep(1 << 20).isDone()) {}
    var _ = run.finish();
    UserError refused = assertThrows(UserError.class, () -> ask(at, false));
    assertTrue(refused.message().contains("the content of 1 files is gone"), refused.message());
    assertEquals(newest, head());
    assertEquals(List.of(), on(agent -> agent.restores().held()));
    requireIdle();
  }

  @Test
  void aStateThatIsNotThereIsNamedWithWhatIs() {
    long newest = create("a");
    UserError refused = assertThrows(UserError.class, () -> ask(newest + 1, false));
    assertEquals("The newest one is entry " + newest + ".", refused.hint());
    assertThrows(UserError.class, () -> ask(0, false));
    requireIdle();
  }

  /** Takes snapshots on the agent's thread. */
  private final class Snapshots implements SnapshotPort {
    @Override
    public void take(Manifest manifest, long base, String name) {
      try {
        SnapshotTask task =
            new SnapshotTask(
                manifest, name, 0, chunks, SnapshotDirectory.of(directory), RateLimit.NONE, cache);
        while (task.step()) {}
        leader.snapshots().taken(task.result(), 0);
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void measure(Manifest newest) {
      leader.snapshots().weighed();
    }

    @Override
    public void change(Snapshot snapshot) {
      throw new AssertionError("nobody asks for it");
    }

    @Override
    public void remove(long index) {
      throw new AssertionError("there are few");
    }

    @Override
    public void setAside() {
      throw new AssertionError("nothing is wrong");
    }
  }

  /** Knows what the store has, and does nothing else. */
  private final class StoredChunks extends NoChunks {
    @Override
    public int length(Hash hash) {
      return chunks.length(hash);
    }
  }
}
