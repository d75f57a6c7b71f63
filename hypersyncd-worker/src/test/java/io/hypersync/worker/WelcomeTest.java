package io.hypersync.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.Entries;
import io.hypersync.fixtures.ManualClock;
import io.hypersync.fixtures.States;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.lock.LockMode;
import io.hypersync.model.lock.LockRange;
import io.hypersync.model.lock.LockSpace;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.RestoredStates;
import io.hypersync.model.state.StateWeight;
import io.hypersync.model.trie.DirtyMemory;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.model.trie.PageWriter;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.progress.Progress;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.schedule.SnapshotManager;
import io.hypersync.wire.message.ChunkDelivery;
import io.hypersync.wire.message.Features;
import io.hypersync.wire.message.LeaderMessage.ChunkUnavailable;
import io.hypersync.wire.message.LeaderMessage.Heartbeat;
import io.hypersync.wire.message.LeaderMessage.Holder;
import io.hypersync.wire.message.LeaderMessage.LockExpiryWarning;
import io.hypersync.wire.message.LeaderMessage.LogEntries;
import io.hypersync.wire.message.LeaderMessage.Notice;
import io.hypersync.wire.message.LeaderMessage.PastState;
import io.hypersync.wire.message.LeaderMessage.PastStateRefused;
import io.hypersync.wire.message.LeaderMessage.Refused;
import io.hypersync.wire.message.LeaderMessage.Refused.Reason;
import io.hypersync.wire.message.LeaderMessage.Revocations;
import io.hypersync.wire.message.LeaderMessage.SessionRenewed;
import io.hypersync.wire.message.LeaderMessage.SnapshotOffer;
import io.hypersync.wire.message.LeaderMessage.VisibilityLease;
import io.hypersync.wire.message.LeaderMessage.Welcome;
import io.hypersync.wire.message.LocalPressure;
import io.hypersync.wire.message.NegotiatedParams;
import io.hypersync.wire.message.Protocol;
import io.hypersync.wire.message.Revocation;
import io.hypersync.wire.message.SessionGrant;
import io.hypersync.wire.message.WorkerMessage.ChunkFetch;
import io.hypersync.wire.message.WorkerMessage.Hello;
import io.hypersync.wire.message.WorkerMessage.LockRequest.Wish;
import io.hypersync.wire.message.WorkerMessage.PastStateRelease;
import io.hypersync.wire.message.WorkerMessage.PastStateRequest;
import io.hypersync.wire.message.WorkerMessage.RevocationsKept;
import io.hypersync.wire.message.WorkerMessage.SubmitIntent;
import io.hypersync.wire.message.WorkerMessage.WorkerApplied;
import io.hypersync.wire.message.WorkerMessage.WorkerVisible;
import io.hypersync.worker.cache.ChunkCache;
import io.hypersync.worker.coherence.CachedName;
import io.hypersync.worker.coherence.Growth;
import io.hypersync.worker.coherence.MovedDirectory;
import io.hypersync.worker.coherence.PageRange;
import io.hypersync.worker.dataplane.ReceivedBlock;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseLockOwner;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.incarnation.Memories;
import io.hypersync.worker.intents.Mutation;
import io.hypersync.worker.intents.Mutations;
import io.hypersync.worker.link.LinkState;
import io.hypersync.worker.lock.LockCall;
import io.hypersync.worker.lock.LockCompletion;
import io.hypersync.worker.lock.OwnerLockKey;
import io.hypersync.worker.port.ApplyListener;
import io.hypersync.worker.port.CacheNotifier;
import io.hypersync.worker.port.EntryMirror;
import io.hypersync.worker.port.InstallPort;
import io.hypersync.worker.port.Surroundings;
import io.hypersync.worker.port.WorkerChunks;
import io.hypersync.worker.replica.IndexedState;
import io.hypersync.worker.snapshot.WorkerSnapshots;
import io.hypersync.worker.vfs.KernelInodes;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How a worker handles a leader's Welcome, and its silence afterwards (hypersync.md 9.5, 6.4). */
class WelcomeTest {
  private static final WorkspaceId WORKSPACE = new WorkspaceId(1, 1);
  private static final long SECOND_NS = 1_000_000_000L;
  private static final LocalPressure PRESSURE = new LocalPressure(1, 2, 3);

  private final ManualClock clock = new ManualClock();
  private final RecordingLeaderLink link = new RecordingLeaderLink();
  private final List<String> told = new ArrayList<>();
  private final WorkerConfig config = WorkerConfig.of(WORKSPACE, new WorkerId("w"));
  private final KernelInodes inodes = new KernelInodes();

  /** Tickets of a kernel that is told of another state. */
  private final List<Long> tickets = new ArrayList<>();

  /** The pages that nobody has, in the order in which they were asked for. */
  private final List<Hash> asked = new ArrayList<>();

  private long entropy;
  private WorkerAgent agent =
      agent(WorkerStart.empty(WORKSPACE, DirtyMemory.ofEverything(), RestoredStates.NONE));

  private WorkerAgent agent(WorkerStart start) {
    return new WorkerAgent(
        config,
        start,
        new WorkerSnapshots(SnapshotManager.none(WORKSPACE)),
        ChunkCache.none(),
        new Installs(),
        link,
        new NoChunks(),
        inodes,
        inodes,
        new NoKernel(),
        _ -> false,
        new Shown(),
        new Surroundings() {
          @Override
          public LocalPressure pressure() {
            return PRESSURE;
          }

          @Override
          public void locksExpire(LockExpiryWarning warning, FsState visible) {
            told.add("locks of " + warning.run());
          }

          @Override
          public void noticed(Notice notice) {
            told.add(notice.number() + ": " + notice.text());
          }
        },
        clock,
        () -> ++entropy,
        _ -> {});
  }

  @Test
  void theLeadersValuesAreTaken() {
    NegotiatedParams params = new NegotiatedParams(Features.NONE, 4_096, 0, 7);
    welcome(params, Protocol.REVISION);
    assertEquals(LinkState.LIVE, agent.monitor().state());
    assertTrue(agent.isWritable());
    assertEquals(params, agent.params());
    WorkerApplied report = (WorkerApplied) link.sent.getLast();
    assertEquals(PRESSURE, report.pressure());
  }

  @Test
  void aWorkerKnowsHowFarItIsBehindAndHowFastItFollows() {
    welcome(NegotiatedParams.DEFAULT, Protocol.REVISION);
    assertEquals(0, agent.catchUp().left());
    agent.received(new Heartbeat(1, 50));
    clock.advance(SECOND_NS);
    agent.doWork();
    assertEquals(new Progress(50, 0.0, null), agent.catchUp(), "nothing has come");
    agent.linkDown("gone");
    assertEquals(new Progress(50, null, null), agent.catchUp(), "the rate was of that connection");
  }

  @ParameterizedTest
  @EnumSource(
      value = Reason.class,
      names = {"DUPLICATE", "PROTOCOL_ERROR", "DIVERGED", "IDENTITY", "REVOKED"})
  void aRefusalInTheMiddleOfASessionEndsItAsALossDoes(Reason reason) {
    welcome(NegotiatedParams.DEFAULT, Protocol.REVISION);
    agent.received(new Refused(reason, "too far behind"));
    link.sent.clear();
    agent.lock(lock());
    assertEquals(List.of(), link.sent, "a request that is sent between two sessions is lost");
    assertEquals(List.of("ENOLCK"), told, "one that must not wait ends");
    assertFalse(agent.isWritable());
  }

  /** Wherever the leader is: all leaders of a workspace go by one list. */
  @Test
  void aRevokedWorkerAsksSeldomAndBeginsAnewIfItIsLetInAgain() {
    welcome(NegotiatedParams.DEFAULT, Protocol.REVISION);
    agent.received(new SessionRenewed("token"));
    link.others = 1;
    agent.received(new Refused(Reason.REVOKED, "its certificate was revoked: stolen"));
    assertEquals(LinkState.DOWN, agent.monitor().state());
    assertEquals("its certificate was revoked: stolen", agent.monitor().reason());
    assertFalse(agent.isWritable());
    clock.advance(29 * SECOND_NS);
    assertFalse(agent.monitor().attemptIsDue(clock.monotonicNs()));
    clock.advance(2 * SECOND_NS);
    assertTrue(agent.monitor().attemptIsDue(clock.monotonicNs()));
    agent.doWork();
    agent.linkUp();
    assertEquals("", link.sent(Hello.class).getLast().resumeToken());
  }

  /** Of a full disk, a damaged list, or one without room: the rest is replicated all the same. */
  @Test
  void aStandbyThatCannotKeepWhatIsRevokedGoesOnAndDoesNotSayThatItHasIt() {
    List<Revocation> all = List.of(new Revocation(new WorkerId("bob"), "", 5, ""));
    List<UserError> failures = new ArrayList<>(List.of(new UserError("the disk is full", "")));
    agent.mirrorTo(
        (EntryMirror)
            Proxy.newProxyInstance(
                EntryMirror.class.getClassLoader(),
                new Class<?>[] {EntryMirror.class},
                (_, method, args) -> {
                  if (!method.getName().equals("revoked")) {
                    return method.invoke(EntryMirror.NONE, args);
                  }
                  if (!failures.isEmpty()) {
                    throw failures.removeFirst();
                  }
                  return true;
                }));
    welcome(NegotiatedParams.DEFAULT, Protocol.REVISION);
    agent.received(new Revocations(all));
    assertEquals(List.of(), link.sent(RevocationsKept.class));
    assertEquals(LinkState.LIVE, agent.monitor().state());
    agent.received(new Revocations(all));
    assertEquals(List.of(new RevocationsKept(1)), link.sent(RevocationsKept.class));
  }

  private LockCall lock() {
    OwnerLockKey key = new OwnerLockKey(new NodeId(1, 1), LockSpace.FLOCK, new FuseLockOwner(1));
    LockCompletion told = new ToldLock();
    agent.heldLocks().asked(key, FileHandle.NONE);
    return new LockCall(
        new RequestId(7), key, 100, LockRange.WHOLE, LockMode.EXCLUSIVE, Wish.TRY, told);
  }

  private final class ToldLock implements LockCompletion {
    @Override
    public void granted() {
      told.add("granted");
    }

    @Override
    public void denied(Holder holder) {
      told.add("denied");
    }

    @Override
    public void failed(Errno errno) {
      told.add(errno.toString());
    }
  }

  @Test
  void aWorkerSaysWhatItSpeaksAndWhatItCan() {
    agent.doWork();
    agent.linkUp();
    Hello hello = (Hello) link.sent.getFirst();
    assertEquals(Protocol.REVISION, hello.revision());
    assertEquals(Features.SUPPORTED, hello.features());
  }

  @Test
  void valuesThatMakeNoSenseAreRefusedInWords() {
    welcome(new NegotiatedParams(Features.NONE, 1, 8_192, 0), Protocol.REVISION);
    assertRefused("what the leader wants makes no sense: chunk_max is 1, 4096 to 65536 allowed");
    assertEquals(NegotiatedParams.DEFAULT, agent.params());
  }

  @Test
  void featuresThatWereNotOfferedAreRefused() {
    welcome(NegotiatedParams.DEFAULT.with(new Features(1L << 40)), Protocol.REVISION);
    assertRefused(
        "what the leader wants makes no sense: features 10000000000 are not among those it was"
            + " offered");
  }

  @Test
  void anOlderLeaderIsNamedAsThat() {
    welcome(NegotiatedParams.DEFAULT, 1);
    assertRefused(
        "the worker is newer than the leader: it speaks revision "
            + Protocol.REVISION
            + " of hypersync/1, the leader 1; update HyperSync on the leader's host, or use its"
            + " version here");
  }

  @Test
  void aWarningOfLocksIsPassedOn() {
    welcome(NegotiatedParams.DEFAULT, Protocol.REVISION);
    agent.received(new LockExpiryWarning(agent.locks().run(), 1, 5, List.of()));
    assertEquals(List.of("locks of " + agent.locks().run()), told);
    assertEquals(1, agent.locks().warnings());
  }

  /**
   * The leader sends messages, but no answer to the mutation: EIO, and the mount is read-only
   * (6.4).
   */
  @Test
  void afterTheMutationDeadlineTheMountIsReadOnly() {
    welcome(NegotiatedParams.DEFAULT, Protocol.REVISION);
    agent.submit(mkdir());
    long end = clock.monotonicNs() + config.mutationDeadlineNs() + config.mutationDeadlineNs() / 10;
    while (told.isEmpty() && clock.monotonicNs() < end) {
      assertTrue(agent.isWritable(), "until then");
      clock.advance(SECOND_NS / 2);
      agent.received(new Heartbeat(1, 0));
      agent.doWork();
    }
    assertEquals(List.of("EIO"), told);
    assertFalse(agent.isWritable());
    assertTrue(link.disconnects > 0, "it starts afresh");
    agent.submit(mkdir());
    assertEquals(List.of("EIO", "EROFS"), told);
  }

  @Test
  void aWorkerThatHasJustStartedInstallsWhatItIsOffered() {
    offer(5, 10);
    agent.doWork();
    assertEquals(List.of("received 5"), told);
    assertFalse(agent.isWritable());
    agent.doWork();
    assertEquals(1, told.size(), "once");
    int sent = link.sent.size();
    agent.linkUp();
    agent.doWork();
    assertEquals(sent, link.sent.size(), "another worker goes on");
  }

  /**
   * It asks the leader to hold the snapshot's state, and gives it back once the snapshot is in its
   * catalog. Until then it asks again after each reconnect.
   */
  @Test
  void aWorkerThatBeginsWithWhatItWasOfferedServesAndInstallsItMeanwhile() {
    Snapshot received = new Snapshot(5, 1, 0, 0, false, "", manifest(5));
    Manifest start = new Manifest(WORKSPACE, 5, 1, 0, FsState.genesis());
    agent =
        agent(new WorkerStart(start, DirtyMemory.ofEverything(), RestoredStates.NONE, received));
    welcome(5);
    assertTrue(agent.isWritable(), "before all is here");
    assertEquals(List.of("install 5"), told, "there are no pages to fetch");
    assertFalse(agent.isInstalled());
    assertNull(agent.lastSnapshot(), "it would refer to what may not be here");
    PastStateRequest asked = link.sent(PastStateRequest.class).getLast();
    assertEquals("5", asked.moment());
    agent.linkDown("gone");
    clock.advance(SECOND_NS);
    welcome(5);
    assertEquals(2, link.sent(PastStateRequest.class).size(), "nobody had answered");
    asked = link.sent(PastStateRequest.class).getLast();
    agent.received(
        new PastState(asked.requestId(), 5, FsState.genesis().root(), received.manifest()));
    agent.installFailed(received, "the disk is full");
    assertFalse(agent.isInstalled());
    clock.advance(10 * SECOND_NS);
    agent.received(new Heartbeat(5, 0));
    agent.doWork();
    assertEquals(List.of("install 5", "install 5"), told);
    assertEquals(List.of(), link.sent(PastStateRelease.class));
    agent.installed(received);
    assertTrue(agent.isInstalled());
    assertEquals(5, agent.snapshots().baseIndex());
    assertEquals(5, link.sent(PastStateRelease.class).getLast().index());
  }

  /** Else its pages might be collected, and it would wait for them for ever. */
  @Test
  void aLeaderThatHoldsTheSnapshotNoMoreIsAskedAgain() {
    Snapshot received = new Snapshot(5, 1, 0, 0, false, "", manifest(5));
    Manifest start = new Manifest(WORKSPACE, 5, 1, 0, FsState.genesis());
    agent =
        agent(new WorkerStart(start, DirtyMemory.ofEverything(), RestoredStates.NONE, received));
    welcome(5);
    long request = link.sent(PastStateRequest.class).getLast().requestId();
    agent.received(new PastState(request, 5, FsState.genesis().root(), received.manifest()));
    agent.installFailed(received, "the disk is full");
    agent.linkDown("gone");
    clock.advance(SECOND_NS);
    welcome(5);
    request = link.sent(PastStateRequest.class).getLast().requestId();
    agent.received(new PastStateRefused(request, "its content was collected", "-"));
    int asked = link.sent(PastStateRequest.class).size();
    for (int i = 0; i < 70; i++) {
      clock.advance(SECOND_NS);
      agent.received(new Heartbeat(5, 0));
      agent.installFailed(received, "the disk is full");
      agent.doWork();
    }
    assertEquals(asked + 1, link.sent(PastStateRequest.class).size(), "once a minute");
  }

  /** Another worker may come that has it, so it is waited for, but not for ever. */
  @Test
  void aPageOfTheSnapshotThatNobodyHasEndsTheWorkerAfterTenMinutes() {
    beginWithPages();
    nobodyHasWhatIsAskedFor(550);
    asked.forEach(agent::chunkStored);
    nobodyHasWhatIsAskedFor(550);
    assertEquals(List.of(), told, "they came once, and were damaged then");
    asked.clear();
    agent.linkDown("gone");
    clock.advance(SECOND_NS);
    welcome(5);
    nobodyHasWhatIsAskedFor(590);
    assertEquals(List.of(), told, "by what this leader says");
    assertTrue(agent.isWritable());
    nobodyHasWhatIsAskedFor(20);
    assertEquals(
        List.of(
            "the state that is shown here cannot be fetched as a whole: page "
                + asked.getFirst()
                + " is lost, neither the leader nor another worker has had it for 10 minutes",
            "Where the leader runs, ./hypersync scrub --run says what is lost and what to do. Start"
                + " it again: it takes the leader's newest snapshot."),
        told);
    assertFalse(agent.isWritable());
    nobodyHasWhatIsAskedFor(20);
    assertEquals(2, told.size(), "once");
  }

  @Test
  void aSnapshotThatIsRefutedEndsTheWorker() {
    Snapshot received = beginWithPages();
    agent.installRefuted(received, "the pages give root 1, and the manifest says 2");
    assertEquals(
        List.of(
            "the state that is shown here cannot be fetched as a whole: the pages give root 1, and"
                + " the manifest says 2",
            "Start it again: it takes the leader's newest snapshot."),
        told);
    assertFalse(agent.isWritable());
  }

  /** It is asked for like any other, but it is not lost: nobody has looked for it before. */
  @Test
  void aPageThatIsMissingOfWhatAnEntryRestoresIsNoSignOfDamage() {
    List<Hash> missing = new ArrayList<>(List.of(new Hash(1, 2, 3, 4)));
    RestoredStates restored =
        _ -> {
          if (!missing.isEmpty()) {
            Hash page = missing.getFirst();
            throw new PageUnreadableException(
                page, "is missing", new PageMissingException(page, "is missing"));
          }
          return FsState.genesis();
        };
    agent = agent(WorkerStart.empty(WORKSPACE, DirtyMemory.ofEverything(), restored));
    welcome(0);
    assertTrue(agent.isWhole());
    FsOp restore = new FsOp.RestoreState(manifest(0), List.of());
    byte[] entry = Entries.of(1, restore).root(FsState.genesis().root()).encoded();
    agent.received(new LogEntries(1, List.of(entry)));
    agent.doWork();
    assertTrue(agent.waitsForPage());
    assertFalse(agent.isWhole());
    missing.clear();
    clock.advance(2 * SECOND_NS);
    agent.doWork();
    tellKernel();
    agent.doWork();
    assertEquals(1, agent.visible().index());
    assertTrue(agent.isWhole(), "it has no pages that are not here");
  }

  /** Begins with a snapshot whose pages are not here. */
  private Snapshot beginWithPages() {
    FsState state = FsState.genesis();
    for (int i = 1; i <= 100; i++) {
      FsOp make = new FsOp.MakeDir(FsState.ROOT, Name.of("d" + i), 0755, 0, 0);
      state = States.after(state, make, i, new NodeId(1, i));
    }
    Manifest start = new Manifest(WORKSPACE, 5, 1, StateWeight.of(state), state);
    byte[] manifest = start.write(PageWriter.complete(state.version(), Blake3::hash)).bytes();
    Snapshot received = new Snapshot(5, 1, 0, 0, false, "", manifest);
    agent =
        agent(new WorkerStart(start, DirtyMemory.ofEverything(), RestoredStates.NONE, received));
    welcome(5);
    assertTrue(agent.isWritable(), "before all is here");
    return received;
  }

  /** So many seconds in which the leader says so of each page that it is asked for. */
  private void nobodyHasWhatIsAskedFor(int seconds) {
    for (int i = 0; i < seconds; i++) {
      for (ChunkFetch fetch : link.sent(ChunkFetch.class)) {
        for (ChunkRef page : fetch.chunks()) {
          asked.add(page.hash());
          agent.received(new ChunkUnavailable(page.hash(), Errno.EIO, "nobody has it"));
        }
      }
      link.sent.clear();
      clock.advance(SECOND_NS);
      agent.received(new Heartbeat(5, 0));
      agent.doWork();
    }
  }

  private void welcome(long commitIndex) {
    agent.doWork();
    agent.linkUp();
    NegotiatedParams params = NegotiatedParams.DEFAULT.with(Features.SUPPORTED);
    agent.received(new Welcome(WORKSPACE, 1, commitIndex, 100, params, 1, 15_000));
    agent.doWork();
    agent.doWork();
  }

  /** Each stream has its own order: entries and symbols can overtake the Welcome. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aChunkThatDoesNotComeIsAskedForBeforeTheWelcome(boolean isDamaged) {
    agent.doWork();
    agent.linkUp();
    ChunkRef chunk = new ChunkRef(Blake3.hash(new byte[9_000]), 9_000);
    FsOp write = new FsOp.Write(FsState.ROOT, WriteMode.PWRITE, 0, List.of(chunk), false);
    byte[] entry = Entries.of(1, write).root(FsState.genesis().root()).encoded();
    agent.received(new LogEntries(1, List.of(entry), ChunkDelivery.DATAGRAMS));
    assertEquals(LinkState.HANDSHAKING, agent.monitor().state());
    assertEquals(List.of(), link.sent(ChunkFetch.class));
    if (isDamaged) {
      agent.chunkDamaged(chunk);
    } else {
      agent.chunkNotDecoded(chunk);
    }
    assertEquals(List.of(new ChunkFetch(List.of(chunk))), link.sent(ChunkFetch.class));
  }

  /** It has taken nothing of what this leader has sent, so the leader may offer it one again. */
  @Test
  void afterALostConnectionItIsOfferedOneAgain() {
    offer(5, 10);
    agent.linkDown("gone");
    clock.advance(SECOND_NS);
    agent.doWork();
    agent.linkUp();
    Hello hello = link.sent(Hello.class).getLast();
    assertTrue(hello.leaderEpochSeen().isEmpty());
    assertEquals(0, hello.appliedIndex());
  }

  /** It shows its old state until all of the new one is in its catalog (12.4). */
  @Test
  void aMountedWorkerJumpsToWhatItIsOffered() {
    awayAndOffered();
    assertEquals(List.of("install 5"), told, "there are no pages to fetch");
    agent.doWork();
    assertEquals(List.of("install 5"), told, "once");
    assertEquals(0, agent.visible().index());
    assertFalse(agent.isWritable());
    agent.installed(new Snapshot(5, 1, 0, 0, false, "", manifest(5)));
    agent.doWork();
    agent.doWork();
    assertEquals(0, agent.visible().index(), "the kernel lets go of all that it has");
    tellKernel();
    agent.doWork();
    assertEquals(5, agent.visible().index());
    assertEquals(List.of("install 5", "from 0 to 5"), told);
    assertEquals(5, agent.snapshots().baseIndex());
    clock.advance(SECOND_NS);
    agent.doWork();
    agent.linkUp();
    Hello hello = link.sent(Hello.class).getLast();
    assertEquals(5, hello.appliedIndex());
    assertEquals(FsState.genesis().root(), hello.appliedRoot());
    assertFalse(hello.leaderEpochSeen().isEmpty());
    agent.received(new Welcome(WORKSPACE, 1, 5, 100, NegotiatedParams.DEFAULT, 1, 15_000));
    agent.doWork();
    assertFalse(agent.isWritable(), "the kernel is being told");
    tellKernel();
    agent.doWork();
    agent.doWork();
    assertTrue(agent.isWritable());
  }

  /** It is asked again after a long pause: the one that leads may come to its address. */
  @Test
  void nothingIsTakenFromALeaderThatWasDeposed() {
    welcomeOfTerm(3);
    assertTrue(agent.isWritable());
    assertEquals(3, agent.seen().term());
    agent.linkDown("gone");
    clock.advance(SECOND_NS);
    welcomeOfTerm(2);
    assertFalse(agent.isWritable());
    assertEquals(LinkState.DOWN, agent.monitor().state());
    assertTrue(
        agent.monitor().reason().contains("it has term 2, and this worker has seen one of term 3"),
        agent.monitor().reason());
    assertEquals(3, agent.seen().term());

    clock.advance(31 * SECOND_NS);
    welcomeOfTerm(4);
    assertTrue(agent.isWritable());
    assertEquals(4, agent.seen().term());
  }

  /** And when it was at none of them, all are asked again soon: a standby may be promoted. */
  @Test
  void theLeaderIsLookedForElsewhereAtOnceWhenOneWasDeposed() {
    link.others = 1;
    welcomeOfTerm(3);
    agent.linkDown("gone");
    clock.advance(SECOND_NS);
    welcomeOfTerm(2);
    assertEquals(1, link.current);
    assertEquals(LinkState.CONNECTING, agent.monitor().state(), "to the other address");
    welcomeOfTerm(2);
    assertEquals(0, link.current);
    assertEquals(LinkState.DOWN, agent.monitor().state(), "both were tried");
    clock.advance(5 * SECOND_NS);
    agent.doWork();
    assertEquals(LinkState.CONNECTING, agent.monitor().state());
    welcomeOfTerm(3);
    assertTrue(agent.isWritable());
  }

  @ParameterizedTest
  @EnumSource(
      value = Reason.class,
      names = {"PROTOCOL_ERROR", "DIVERGED", "WORKSPACE", "IDENTITY", "PROTOCOL_VERSION"})
  void whoRefusesIsNotTheOnlyOneThatMayLead(Reason reason) {
    link.others = 1;
    agent.doWork();
    agent.linkUp();
    agent.received(new Refused(reason, "not here"));
    assertEquals(1, link.current);
    assertEquals(LinkState.DOWN, agent.monitor().state());
    assertTrue(agent.monitor().attemptIsDue(clock.monotonicNs()));
  }

  /**
   * Another process has served the mount before: what that has told the kernel is there until it is
   * taken out, and a mount that can write must not show it (decision 054).
   */
  @Test
  void aSuccessorHoldsNoLeaseWhileTheKernelHasWhatTheProcessBeforeHasToldIt() throws IOException {
    agent.keep(Memories.ofANewMount(), true);
    agent.doWork();
    agent.linkUp();
    agent.received(new VisibilityLease(1_000, 0));
    agent.received(new Welcome(WORKSPACE, 1, 0, 100, NegotiatedParams.DEFAULT, 1, 15_000));
    agent.doWork();
    assertTrue(agent.mayInherit(), "it goes on with the mount");
    assertFalse(agent.isWritable());
    assertTrue(agent.isAwaitingLeader(), "and calls that are under way wait");
    agent.submit(mkdir());
    assertEquals(List.of(), told);
    assertEquals(List.of(), link.sent(WorkerVisible.class), "it shows nothing yet");

    clock.advance(SECOND_NS / 10);
    agent.kernelRenewed();
    agent.doWork();
    WorkerVisible report = link.sent(WorkerVisible.class).getLast();
    assertEquals(List.of(), link.sent(SubmitIntent.class));
    agent.received(new VisibilityLease(1_000, report.sentNs()));
    agent.doWork();
    assertTrue(agent.isWritable());
    agent.received(new Heartbeat(1, 0));
    agent.doWork();
    assertEquals(1, link.sent(SubmitIntent.class).size(), "now it goes on");
  }

  @Test
  void aSuccessorThatGetsNoLeaseLetsCallsWaitNoLongerThanTheyMay() throws IOException {
    agent.keep(Memories.ofANewMount(), true);
    agent.doWork();
    agent.linkUp();
    agent.received(new VisibilityLease(1_000, 0));
    agent.received(new Welcome(WORKSPACE, 1, 0, 100, NegotiatedParams.DEFAULT, 1, 15_000));
    agent.doWork();
    agent.submit(mkdir());
    for (long ms = 0; ms < config.mutationDeadlineNs() / 1_000_000; ms += 500) {
      assertEquals(List.of(), told);
      clock.advance(SECOND_NS / 2);
      agent.received(new Heartbeat(1, 0));
      agent.doWork();
    }
    assertEquals(List.of("EROFS"), told);
  }

  private void welcomeOfTerm(long term) {
    agent.doWork();
    agent.linkUp();
    agent.received(
        new Welcome(
            WORKSPACE,
            1,
            0,
            100,
            NegotiatedParams.DEFAULT,
            1,
            15_000,
            Protocol.REVISION,
            0,
            SessionGrant.NONE,
            0,
            term));
    agent.doWork();
    agent.doWork();
  }

  private void tellKernel() {
    List<Long> now = List.copyOf(tickets);
    tickets.clear();
    now.forEach(agent::dropped);
  }

  @Test
  void whatACallerHasAskedForBeforeAJumpEndsWithAnUnknownOutcome() {
    welcome(NegotiatedParams.DEFAULT, Protocol.REVISION);
    agent.submit(mkdir());
    agent.linkDown("gone");
    clock.advance(SECOND_NS);
    offer(5, 10);
    agent.doWork();
    assertEquals(List.of("install 5"), told);
    agent.installed(new Snapshot(5, 1, 0, 0, false, "", manifest(5)));
    agent.doWork();
    assertEquals(List.of("install 5", "EIO"), told);
  }

  @Test
  void aMountedWorkerWhoseInstallFailsAsksForEntries() {
    awayAndOffered();
    agent.installFailed(new Snapshot(5, 1, 0, 0, false, "", manifest(5)), "the disk is full");
    assertEquals(LinkState.DOWN, agent.monitor().state());
    clock.advance(31 * SECOND_NS);
    welcome(0);
    assertTrue(agent.isWritable());
    assertEquals(0, agent.visible().index());
  }

  /** The connection was lost, and the leader had the entries after all. */
  @Test
  void aWorkerThatIsLiveByThenDoesNotJump() {
    awayAndOffered();
    agent.linkDown("gone");
    clock.advance(SECOND_NS);
    agent.doWork();
    agent.linkUp();
    agent.received(new Welcome(WORKSPACE, 1, 0, 100, NegotiatedParams.DEFAULT, 1, 15_000));
    agent.doWork();
    agent.installed(new Snapshot(5, 1, 0, 0, false, "", manifest(5)));
    agent.doWork();
    assertEquals(0, agent.visible().index());
    agent.doWork();
    assertTrue(agent.isWritable());
  }

  private void awayAndOffered() {
    welcome(NegotiatedParams.DEFAULT, Protocol.REVISION);
    assertTrue(agent.isWritable());
    agent.linkDown("gone");
    clock.advance(SECOND_NS);
    offer(5, 10);
    agent.doWork();
  }

  /** The leader may have the log, which is not so likely to be damaged as a page. */
  @Test
  void afterASnapshotThatCannotBeInstalledItAsksForEntriesAndNotAtOnce() {
    offer(0, 10);
    clock.advance(SECOND_NS);
    int sent = link.sent.size();
    agent.doWork();
    assertEquals(LinkState.DOWN, agent.monitor().state());
    assertEquals(sent, link.sent.size());
    clock.advance(30 * SECOND_NS);
    agent.doWork();
    assertEquals(LinkState.CONNECTING, agent.monitor().state());
    agent.linkUp();
    assertFalse(link.sent(Hello.class).getLast().leaderEpochSeen().isEmpty());
  }

  @Test
  void offersThatMakeNoSenseEndTheConnection() {
    offer(0, 10);
    assertEquals(LinkState.DOWN, agent.monitor().state());
    clock.advance(31 * SECOND_NS);
    offer(5, 10);
    assertEquals(LinkState.CATCHING_UP, agent.monitor().state());
    agent.received(new SnapshotOffer(6, FsState.genesis().root(), manifest(6)));
    assertEquals(LinkState.DOWN, agent.monitor().state(), "a second one");
    clock.advance(31 * SECOND_NS);
    offer(5, 10);
    agent.received(new LogEntries(10, List.of(new byte[] {1})));
    assertEquals(LinkState.DOWN, agent.monitor().state(), "entries meanwhile");
    assertEquals(List.of(), told);
  }

  private void offer(long index, long commitIndex) {
    agent.doWork();
    agent.linkUp();
    agent.received(
        new Welcome(WORKSPACE, 1, commitIndex, 100, NegotiatedParams.DEFAULT, 1, 15_000));
    agent.received(new SnapshotOffer(index, FsState.genesis().root(), manifest(index)));
  }

  private static byte[] manifest(long index) {
    FsState state = FsState.genesis();
    return new Manifest(WORKSPACE, index, 1, StateWeight.of(state), state)
        .write(PageWriter.complete(state.version(), Blake3::hash))
        .bytes();
  }

  private final class Installs implements InstallPort {
    @Override
    public byte[] get(Hash page) throws PageMissingException {
      throw new PageMissingException(page, "is missing");
    }

    @Override
    public void received(Snapshot snapshot) {
      told.add("received " + snapshot.index());
    }

    @Override
    public void install(Snapshot snapshot) {
      told.add("install " + snapshot.index());
    }

    @Override
    public Manifest begin(Snapshot snapshot) {
      return new Manifest(WORKSPACE, snapshot.index(), 1, 0, FsState.genesis());
    }

    @Override
    public void end(String why, String hint) {
      told.addAll(List.of(why, hint));
    }
  }

  private void welcome(NegotiatedParams params, int revision) {
    agent.doWork();
    agent.linkUp();
    agent.received(
        new Welcome(WORKSPACE, 1, 0, 100, params, 1, 15_000, revision, 0, SessionGrant.NONE));
    agent.doWork();
  }

  private void assertRefused(String why) {
    assertEquals(LinkState.REFUSED, agent.monitor().state());
    assertEquals(why, agent.monitor().reason());
    assertFalse(agent.isWritable());
    assertTrue(link.disconnects > 0);
  }

  private Mutation mkdir() {
    FsOp op = new FsOp.MakeDir(FsState.ROOT, Name.of("a"), 0755, 0, 0);
    return Mutations.of(new RequestId(1), op, Mutations.noting(told, ""));
  }

  private final class Shown implements ApplyListener {
    @Override
    public void applied(LogEntry entry, FsState before, FsState after) {}

    @Override
    public void replaced(IndexedState before, IndexedState after) {
      told.add("from " + before.index() + " to " + after.index());
    }
  }

  private static final class NoChunks implements WorkerChunks {
    @Override
    public Presence presence(Hash hash) {
      return Presence.MISSING;
    }

    @Override
    public void verify(ChunkRef chunk) {}

    @Override
    public void read(Hash hash) {}

    @Override
    public void storeInline(List<ChunkRef> chunks, byte[] payload) {}

    @Override
    public void ingest(Hash hash, byte[] bytes) {}

    @Override
    public void decode(ReceivedBlock block) {}
  }

  private final class NoKernel implements CacheNotifier {
    @Override
    public boolean dropAttributes(InodeNo inode) {
      return true;
    }

    @Override
    public void dropNames(long ticket, List<CachedName> dropped, List<CachedName> expired) {}

    @Override
    public void loosenNames(long ticket, List<InodeNo> inodes, boolean missing) {}

    @Override
    public void dropContents(
        long ticket, List<InodeNo> attributes, List<PageRange> pages, @Nullable Growth growth) {}

    @Override
    public void expireAll(long ticket) {
      tickets.add(ticket);
    }

    @Override
    public void followAll(long ticket, FsState before, FsState after) {
      tickets.add(ticket);
    }

    @Override
    public void dropListing(long ticket, InodeNo inode) {}

    @Override
    public void followMoves(long ticket, List<MovedDirectory> moved) {}

    @Override
    public void refreshOwner(long ticket, InodeNo inode) {}

    @Override
    public void prune(List<InodeNo> inodes) {}
  }
}
