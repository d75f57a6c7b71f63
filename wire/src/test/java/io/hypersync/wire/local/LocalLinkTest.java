package io.hypersync.wire.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkerId;
import io.hypersync.runtime.agent.CallerRuns;
import io.hypersync.wire.message.ChunkDelivery;
import io.hypersync.wire.message.ChunkSymbol;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.pki.CertificateFacts;
import io.hypersync.wire.transport.ConnectFailure;
import io.hypersync.wire.transport.LeaderTransport;
import io.hypersync.wire.transport.LeaderTransportListener;
import io.hypersync.wire.transport.SessionId;
import io.hypersync.wire.transport.WorkerTransport;
import io.hypersync.wire.transport.WorkerTransportListener;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The connection of a worker in the leader's process: who hears what, and when. */
@Timeout(30)
final class LocalLinkTest {
  private static final InetSocketAddress ADDRESS = InetSocketAddress.createUnresolved("here", 1);
  private static final WorkerMessage ASK = new WorkerMessage.BarrierRequest(1);
  private static final LeaderMessage ANSWER = new LeaderMessage.BarrierResponse(1, 7);

  private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
  private final List<String> heard = new ArrayList<>(); // on the thread
  private @Nullable SessionId session;
  private @Nullable RuntimeException failure;
  private @Nullable Runnable onReceived;
  private final OwningListener arrivals = new OwningListener(new Leader());
  private final LocalLeaderTransport leader =
      new LocalLeaderTransport(network(), arrivals, new Leader(), new WorkerId("main-host"));
  private final WorkerTransport worker = leader.worker(new Worker());

  @AfterEach
  void end() {
    thread.shutdownNow();
    thread.close();
  }

  private LeaderTransport network() {
    return (LeaderTransport)
        Proxy.newProxyInstance(
            LeaderTransport.class.getClassLoader(),
            new Class<?>[] {LeaderTransport.class},
            (_, method, arguments) -> {
              if (method.getName().equals("executor")) {
                return thread;
              }
              heard.add(
                  "network " + method.getName() + " " + (arguments == null ? null : arguments[0]));
              return method.getReturnType() == boolean.class ? true : null;
            });
  }

  private final class Leader implements LeaderTransportListener {
    @Override
    public void connected(SessionId id, WorkerId name, SocketAddress address) {
      session = id;
      heard.add("leader: " + name + " connected from " + address);
    }

    @Override
    public void connected(
        SessionId id, WorkerId name, CertificateFacts cert, SocketAddress address) {
      throw new AssertionError("a certificate within a process");
    }

    @Override
    public void received(SessionId id, WorkerMessage message) {
      assertEquals(session, id);
      heard.add("leader: " + name(message));
      if (failure != null) {
        throw failure;
      }
      if (onReceived != null) {
        onReceived.run();
      }
    }

    @Override
    public void flushPoint() {
      heard.add("leader: flush");
    }

    @Override
    public void writable(SessionId id, StreamKind kind) {
      heard.add("leader: writable " + kind);
    }

    @Override
    public void closed(SessionId id, String reason) {
      heard.add("leader: closed, " + reason);
    }
  }

  private final class Worker implements WorkerTransportListener {
    @Override
    public void connected(InetSocketAddress address) {
      assertEquals(ADDRESS, address);
      heard.add("worker: connected");
    }

    @Override
    public void connectFailed(ConnectFailure kind, String message) {
      heard.add("worker: failed");
    }

    @Override
    public void received(LeaderMessage message) {
      heard.add("worker: " + name(message));
    }

    @Override
    public void received(ChunkSymbol symbol) {
      throw new AssertionError("there are no datagrams");
    }

    @Override
    public void flushPoint() {
      heard.add("worker: flush, unread " + worker.hasUnread(_ -> false));
    }

    @Override
    public void writable(StreamKind kind) {
      heard.add("worker: writable " + kind);
    }

    @Override
    public void closed(String reason) {
      heard.add("worker: closed, " + reason);
    }
  }

  private static String name(Object message) {
    return message.getClass().getSimpleName();
  }

  /** Runs this on the thread, and waits until all that follows from it has happened. */
  private void run(Runnable call) throws Exception {
    thread.submit(call).get();
    for (int i = 0; i < 10; i++) {
      thread.submit(() -> {}).get();
    }
  }

  private List<String> heard() throws Exception {
    return thread
        .submit(
            () -> {
              List<String> all = List.copyOf(heard);
              heard.clear();
              return all;
            })
        .get();
  }

  private SessionId connect() throws Exception {
    run(() -> worker.connect(ADDRESS));
    assertEquals(
        List.of("leader: main-host connected from the leader's process", "worker: connected"),
        heard());
    SessionId id = session;
    if (id == null) {
      throw new AssertionError("no session");
    }
    return id;
  }

  @Test
  void messagesComeInOrderAndNotFromWithinTheCall() throws Exception {
    SessionId id = connect();
    onReceived = () -> leader.send(id, ANSWER);
    run(
        () -> {
          worker.send(ASK);
          worker.send(ASK);
          worker.flush();
          assertEquals(List.of(), heard, "not from within");
        });
    assertEquals(
        List.of(
            "leader: BarrierRequest",
            "leader: BarrierRequest",
            "leader: flush",
            "worker: BarrierResponse",
            "worker: BarrierResponse",
            "worker: flush, unread true"),
        heard());
  }

  @Test
  void somethingIsUnreadUntilTheWorkerHasDealtWithIt() throws Exception {
    SessionId id = connect();
    assertFalse(worker.hasUnread(_ -> false));
    run(
        () -> {
          leader.send(id, ANSWER);
          assertTrue(worker.hasUnread(_ -> false));
        });
    assertFalse(worker.hasUnread(_ -> false));
  }

  @Test
  void aStoppedStreamWaitsAndTheOthersDoNot() throws Exception {
    SessionId id = connect();
    LeaderMessage chunk = new LeaderMessage.ChunkData(hash(), new byte[1 << 20]);
    run(
        () -> {
          worker.setReading(StreamKind.BULK, false);
          assertTrue(leader.isWritable(id, StreamKind.BULK));
          leader.send(id, chunk);
          assertFalse(leader.isWritable(id, StreamKind.BULK));
          assertTrue(leader.isWritable(id, StreamKind.LOG));
          leader.send(id, new LeaderMessage.LogEntries(0, List.of(), ChunkDelivery.ON_REQUEST));
        });
    assertEquals(List.of("worker: LogEntries", "worker: flush, unread true"), heard());
    assertFalse(worker.hasUnread(_ -> false), "what it does not want to read is not unread");
    run(() -> worker.setReading(StreamKind.BULK, true));
    assertEquals(
        List.of("worker: ChunkData", "worker: flush, unread false", "leader: writable BULK"),
        heard());
  }

  @Test
  void uploadsWaitWhileTheLeaderDoesNotRead() throws Exception {
    SessionId id = connect();
    WorkerMessage chunk = new WorkerMessage.ChunkCopy(hash(), new byte[1 << 20]);
    run(
        () -> {
          leader.setReading(id, StreamKind.CHUNKS, false);
          worker.send(chunk);
          assertFalse(worker.isWritable(StreamKind.CHUNKS));
          worker.send(ASK);
        });
    assertEquals(List.of("leader: BarrierRequest", "leader: flush"), heard());
    run(() -> leader.setReading(id, StreamKind.CHUNKS, true));
    assertEquals(List.of("leader: ChunkCopy", "leader: flush", "worker: writable CHUNKS"), heard());
  }

  @Test
  void theLastWordComesBeforeTheEnd() throws Exception {
    SessionId id = connect();
    run(
        () -> {
          worker.send(ASK);
          leader.close(
              id, new LeaderMessage.Refused(LeaderMessage.Refused.Reason.DUPLICATE, "another one"));
          leader.send(id, ANSWER);
          assertFalse(leader.isWritable(id, StreamKind.LOG));
        });
    assertEquals(
        List.of(
            "worker: Refused",
            "worker: flush, unread true",
            "leader: closed, the leader ended the connection",
            "worker: closed, the leader ended the connection"),
        heard());
    SessionId again = connect();
    assertTrue(again.value() > id.value(), "a new session");
    run(() -> leader.send(id, ANSWER));
    assertEquals(List.of(), heard(), "the old one has ended");
  }

  @Test
  void aWorkerThatDisconnectsHearsNothingOfBefore() throws Exception {
    SessionId id = connect();
    run(
        () -> {
          worker.send(ASK);
          leader.send(id, ANSWER);
          worker.disconnect();
        });
    assertEquals(
        List.of(
            "leader: closed, the worker has disconnected",
            "worker: closed, the worker has disconnected"),
        heard());
  }

  @Test
  void anAttemptThatIsGivenUpLeavesNothing() throws Exception {
    run(
        () -> {
          worker.connect(ADDRESS);
          worker.disconnect();
        });
    assertEquals(List.of(), heard());
  }

  @Test
  void anExceptionEndsTheConnection() throws Exception {
    var _ = connect();
    failure = new IllegalStateException("on purpose");
    run(() -> worker.send(ASK));
    failure = null;
    String why = "failed: java.lang.IllegalStateException: on purpose";
    assertEquals(
        List.of("leader: BarrierRequest", "leader: closed, " + why, "worker: closed, " + why),
        heard());
    var _ = connect();
  }

  private static void byCaller(ScheduledExecutorService agents, Runnable task) {
    if (!(agents instanceof CallerRuns here)) {
      throw new AssertionError("callers cannot run anything");
    }
    here.runOrExecute(task);
  }

  @Test
  void aCallerBringsAMessageToTheLeaderAndTakesTheAnswerBackItself() throws Exception {
    SessionId id = connect();
    Thread caller = Thread.currentThread();
    onReceived =
        () -> {
          assertEquals(caller, Thread.currentThread());
          leader.send(id, ANSWER);
        };
    byCaller(worker.executor(), () -> worker.send(ASK));
    assertEquals(
        List.of(
            "leader: BarrierRequest",
            "leader: flush",
            "worker: BarrierResponse",
            "worker: flush, unread true"),
        List.copyOf(heard),
        "when the call returns");
  }

  @Test
  void aCallerLeavesTheNetworkToItsThread() throws Exception {
    SessionId other = new SessionId(1);
    byCaller(
        worker.executor(),
        () -> {
          leader.send(other, ANSWER);
          assertFalse(leader.isWritable(other, StreamKind.LOG), "it would go on for ever");
          assertFalse(leader.isWritable(other, StreamKind.LOG));
          leader.flush();
          leader.close(other, null);
          heard.add("nothing was sent");
        });
    run(() -> {});
    assertEquals(
        List.of(
            "nothing was sent",
            "network send session 1",
            "network isWritable session 1",
            "leader: writable LOG",
            "network flush null",
            "network close session 1"),
        heard());
  }

  @Test
  void aCallerWithNothingToSendDoesNotWakeTheNetworksThread() throws Exception {
    byCaller(worker.executor(), leader::flush);
    assertEquals(List.of(), heard());
  }

  @Test
  void othersGoOverTheNetwork() throws Exception {
    var _ = connect();
    SessionId other = new SessionId(1);
    run(
        () -> {
          leader.send(other, ANSWER);
          assertTrue(leader.isWritable(other, StreamKind.LOG));
          leader.setReading(other, StreamKind.CHUNKS, false);
          leader.close(other, null);
        });
    assertEquals(
        List.of(
            "network send session 1",
            "network isWritable session 1",
            "network setReading session 1",
            "network close session 1"),
        heard());
  }

  @Test
  void theWorkersThreadEndsForItAlone() throws Exception {
    var _ = connect();
    AtomicInteger ticks = new AtomicInteger();
    CountDownLatch ticked = new CountDownLatch(3);
    var _ =
        worker
            .executor()
            .scheduleAtFixedRate(
                () -> {
                  ticks.incrementAndGet();
                  ticked.countDown();
                },
                0,
                1,
                TimeUnit.MILLISECONDS);
    ticked.await();
    worker.shutdown();
    assertTrue(worker.executor().isTerminated());
    int before = ticks.get();
    Thread.sleep(20);
    assertEquals(before, ticks.get(), "a task that is repeated has ended");
    assertThrows(RejectedExecutionException.class, () -> worker.executor().execute(() -> {}));
    assertEquals(
        List.of(
            "leader: closed, the worker has disconnected",
            "worker: closed, the worker has disconnected"),
        heard());
    run(() -> heard.add("the leader's thread runs"));
    assertEquals(List.of("the leader's thread runs"), heard());
  }

  private static Hash hash() {
    return Blake3.hash(new byte[0]);
  }
}
