package io.hypersync.wire.quic;

import static org.junit.jupiter.api.Assertions.fail;

import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.message.ChunkSymbol;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.pki.CertificateFacts;
import io.hypersync.wire.transport.ConnectFailure;
import io.hypersync.wire.transport.LeaderTransportListener;
import io.hypersync.wire.transport.SessionId;
import io.hypersync.wire.transport.WorkerTransportListener;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Listeners that record their callbacks, and methods that wait for one. */
final class RecordingListeners {
  static final long PATIENCE_MS = 10_000;

  private RecordingListeners() {}

  /** One recorded callback. */
  sealed interface Event {
    record Connected(@Nullable SessionId session, @Nullable WorkerId worker) implements Event {}

    record FromWorker(SessionId session, WorkerMessage message) implements Event {}

    record FromLeader(LeaderMessage message) implements Event {}

    record Symbol(ChunkSymbol symbol) implements Event {}

    record ConnectFailed(ConnectFailure failure, String message) implements Event {}

    record Closed(@Nullable SessionId session, String reason) implements Event {}
  }

  /** The recorded callbacks in order. */
  static class Recorder {
    final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    final AtomicInteger flushPoints = new AtomicInteger();
    final BlockingQueue<StreamKind> writable = new LinkedBlockingQueue<>();

    <E extends Event> E await(Class<E> type) throws InterruptedException {
      Event event = events.poll(PATIENCE_MS, TimeUnit.MILLISECONDS);
      if (!type.isInstance(event)) {
        fail(
            "expected "
                + type.getSimpleName()
                + ", got "
                + event
                + "; behind it "
                + List.copyOf(events));
      }
      return type.cast(event);
    }
  }

  static final class Leader extends Recorder implements LeaderTransportListener {
    @Override
    public void connected(SessionId session, WorkerId worker, SocketAddress address) {
      fail("a worker without a certificate");
    }

    @Override
    public void connected(
        SessionId session, WorkerId worker, CertificateFacts cert, SocketAddress address) {
      events.add(new Event.Connected(session, worker));
    }

    @Override
    public void received(SessionId session, WorkerMessage message) {
      events.add(new Event.FromWorker(session, message));
    }

    @Override
    public void flushPoint() {
      flushPoints.incrementAndGet();
    }

    @Override
    public void writable(SessionId session, StreamKind kind) {
      writable.add(kind);
    }

    @Override
    public void closed(SessionId session, String reason) {
      events.add(new Event.Closed(session, reason));
    }
  }

  static final class Worker extends Recorder implements WorkerTransportListener {
    @Override
    public void connected(InetSocketAddress leader) {
      events.add(new Event.Connected(null, null));
    }

    @Override
    public void connectFailed(ConnectFailure failure, String message) {
      events.add(new Event.ConnectFailed(failure, message));
    }

    @Override
    public void received(LeaderMessage message) {
      events.add(new Event.FromLeader(message));
    }

    @Override
    public void received(ChunkSymbol symbol) {
      events.add(new Event.Symbol(symbol));
    }

    @Override
    public void flushPoint() {
      flushPoints.incrementAndGet();
    }

    @Override
    public void writable(StreamKind kind) {
      writable.add(kind);
    }

    @Override
    public void closed(String reason) {
      events.add(new Event.Closed(null, reason));
    }
  }

  /** Runs a task on a transport's thread and waits for its result. */
  static <T> T on(Executor executor, Supplier<T> work) throws InterruptedException {
    try {
      return CompletableFuture.supplyAsync(work, executor).get(PATIENCE_MS, TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new AssertionError("on the transport's thread", e);
    }
  }

  static void run(Executor executor, Runnable work) throws InterruptedException {
    var _ =
        on(
            executor,
            () -> {
              work.run();
              return true;
            });
  }
}
