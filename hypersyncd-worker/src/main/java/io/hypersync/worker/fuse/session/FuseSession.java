package io.hypersync.worker.fuse.session;

import io.hypersync.model.errno.Errno;
import io.hypersync.worker.fuse.abi.FileLayouts.WriteIn;
import io.hypersync.worker.fuse.abi.HeaderLayouts.InHeader;
import io.hypersync.worker.fuse.dev.KernelChannel;
import io.hypersync.worker.fuse.dev.KernelConnection;
import io.hypersync.worker.fuse.protocol.Decoded;
import io.hypersync.worker.fuse.protocol.FuseInitReply;
import io.hypersync.worker.fuse.protocol.FuseReplyEncoder;
import io.hypersync.worker.fuse.protocol.FuseRequestDecoder;
import io.hypersync.worker.fuse.protocol.RequestId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The session of one mount with the kernel: from INIT until it is unmounted, by {@link #close} or
 * by another process. Platform threads read the requests, each through a channel of its own, and
 * pass them to a {@link FuseHandler}.
 */
public final class FuseSession implements AutoCloseable {
  private static final ThreadGroup READERS = new ThreadGroup("fuse-readers");

  /** Those of them that read the device themselves. */
  private static final ThreadGroup DEVICE_READERS = new ThreadGroup(READERS, "fuse-device-readers");

  private static final Logger LOG = LoggerFactory.getLogger(FuseSession.class);
  private static final Duration JOIN_LIMIT = Duration.ofSeconds(5);

  /** Buffer space beyond a WRITE's data: for headers, or the longest names and attribute values. */
  private static final int HEADER_ROOM = 128 << 10;

  private final KernelConnection kernel;
  private final List<KernelChannel> channels;
  private final FuseConnection connection;
  private final FuseCounters counters = new FuseCounters();
  private final InFlightTable inFlight = new InFlightTable();
  private final FuseNotifier notifier;
  private final List<Thread> readers = new ArrayList<>();
  private final CountDownLatch running;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Whether the mount is left to another process. */
  private final AtomicBoolean left = new AtomicBoolean();

  /** The first cause; null until the first reader ends. */
  private final AtomicReference<@Nullable SessionEnd> end = new AtomicReference<>();

  private FuseSession(
      KernelConnection kernel, List<KernelChannel> channels, FuseConnection connection) {
    this.kernel = kernel;
    this.channels =
        channels.stream().<KernelChannel>map(each -> new LeavableChannel(each, left)).toList();
    this.connection = connection;
    this.notifier = new FuseNotifier(this.channels.getFirst(), counters);
    this.running = new CountDownLatch(channels.size());
  }

  /**
   * Answers INIT and starts to serve requests.
   *
   * @throws IOException as {@link #connect}
   */
  public static FuseSession start(
      KernelConnection kernel, FuseSessionOptions options, FuseHandler handler) throws IOException {
    FuseSession session = connect(kernel, options);
    session.serve(handler);
    return session;
  }

  /**
   * Answers INIT; reads nothing else before {@link #serve}. The session owns the connection from
   * now on; if this fails, the connection is taken down.
   *
   * @throws IOException if the kernel is too old, or the device fails
   */
  public static FuseSession connect(KernelConnection kernel, FuseSessionOptions options)
      throws IOException {
    List<KernelChannel> channels = List.of();
    try {
      channels = kernel.openChannels(options.readers(), messageBytes(options));
      FuseConnection connection = agree(channels.getFirst(), options);
      return new FuseSession(kernel, channels, connection);
    } catch (IOException | RuntimeException e) {
      try {
        kernel.disconnect();
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      channels.forEach(KernelChannel::close);
      throw e;
    }
  }

  /**
   * Goes on with a mount for which another process has answered INIT; reads nothing before {@link
   * #serve}.
   *
   * @param agreed what that process has agreed on with the kernel
   * @throws IOException if the device fails
   */
  public static FuseSession resume(
      KernelConnection kernel, FuseConnection agreed, FuseSessionOptions options)
      throws IOException {
    return new FuseSession(
        kernel, kernel.openChannels(options.readers(), messageBytes(options)), agreed);
  }

  /** What was negotiated with the kernel. */
  public FuseConnection connection() {
    return connection;
  }

  /** The counters so far. */
  public FuseCounters.Snapshot counters() {
    return counters.snapshot();
  }

  /** How many requests the kernel waits for. */
  public int inFlight() {
    return inFlight.size();
  }

  /** Sends notifications through the first channel. */
  public FuseNotifier notifier() {
    return notifier;
  }

  /** Whether the mount is gone and all readers have ended. */
  public boolean hasEnded() {
    return running.getCount() == 0;
  }

  /**
   * Waits until the session ends, by {@link #close} or because another process has unmounted. In
   * the second case {@link #close} must still be called: it closes the descriptors.
   *
   * @return why it ended, never {@link SessionEnd.NotificationRefused}, after which the caller has
   *     to close it; empty if it goes on after {@code limit}
   */
  public Optional<SessionEnd> awaitEnd(Duration limit) throws InterruptedException {
    return running.await(limit.toNanos(), TimeUnit.NANOSECONDS)
        ? Optional.of(Objects.requireNonNull(end.get())) // each reader sets it before it counts
        : Optional.empty();
  }

  /**
   * Answers EIO to all outstanding requests and to any that still arrive, unmounts, and waits up to
   * 5 s for the readers. Does nothing the second time.
   *
   * @throws IOException if it cannot be unmounted; all the rest is done nevertheless
   */
  @Override
  public void close() throws IOException {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    end.compareAndSet(null, new SessionEnd.Closed());
    inFlight.close();
    try {
      kernel.disconnect();
    } finally {
      joinReaders();
      channels.forEach(KernelChannel::close);
    }
  }

  /**
   * Leaves the mount to another process: from now on nothing is answered, and no notification sent.
   * What is not answered yet is for that one. This process has to end before that one reads.
   */
  public void leave() {
    left.set(true);
  }

  private static int messageBytes(FuseSessionOptions options) {
    return InHeader.SIZE + WriteIn.SIZE + options.maxWriteBytes() + HEADER_ROOM;
  }

  private static FuseConnection agree(KernelChannel channel, FuseSessionOptions options)
      throws IOException {
    FuseRequestDecoder decoder = new FuseRequestDecoder(Set.of());
    while (true) {
      ByteBuffer message = channel.receive();
      if (message == null) {
        throw new IOException("the mount was gone before the first request");
      }
      if (!(decoder.decode(message) instanceof Decoded.Init init)) {
        throw new IOException("the first request is not INIT: " + decoder.decode(message));
      }
      switch (InitNegotiator.negotiate(init, options)) {
        case InitNegotiator.Outcome.Agreed(FuseInitReply reply, FuseConnection connection) -> {
          send(channel, init.unique(), reply.encode());
          LOG.info(
              "FUSE 7.{}, {} bytes a write, {}",
              connection.minor(),
              connection.maxWriteBytes(),
              connection.flags());
          return connection;
        }
        case InitNegotiator.Outcome.AskAgain() ->
            send(channel, init.unique(), FuseInitReply.encodeMajorOnly());
        case InitNegotiator.Outcome.Refused(Errno errno, String reason) -> {
          var _ = channel.send(FuseReplyEncoder.error(init.unique(), errno));
          throw new IOException(reason);
        }
      }
    }
  }

  private static void send(KernelChannel channel, RequestId unique, ByteBuffer body)
      throws IOException {
    Errno refusal = channel.send(FuseReplyEncoder.header(unique, body.remaining()), body);
    if (refusal != null) {
      throw new IOException("the kernel refused the answer to INIT: " + refusal.message());
    }
  }

  /**
   * A thread that hands requests to a filesystem, as readers do: {@link #isReader} holds there.
   *
   * @param name of the thread
   * @return a daemon thread that is not started
   */
  public static Thread reader(String name, Runnable task) {
    return reader(READERS, name, task);
  }

  private static Thread reader(ThreadGroup group, String name, Runnable task) {
    return Thread.ofPlatform().group(group).daemon().name(name).unstarted(task);
  }

  /** Whether the caller is a reader thread: while it waits it takes no other request. */
  public static boolean isReader() {
    return READERS.parentOf(Thread.currentThread().getThreadGroup());
  }

  /** Whether the caller is a thread of a session, which reads the device. Nobody interrupts it. */
  public static boolean isDeviceReader() {
    return DEVICE_READERS.equals(Thread.currentThread().getThreadGroup());
  }

  /** Starts the reader threads; to be called once. */
  public void serve(FuseHandler handler) {
    RequestDispatcher dispatcher =
        new RequestDispatcher(
            new FuseRequestDecoder(connection.flags()), handler, inFlight, counters);
    for (int i = 0; i < channels.size(); i++) {
      KernelChannel channel = channels.get(i);
      readers.add(reader(DEVICE_READERS, "fuse-reader-" + i, () -> read(channel, dispatcher)));
    }
    readers.forEach(Thread::start);
  }

  private void read(KernelChannel channel, RequestDispatcher dispatcher) {
    try {
      @Nullable ByteBuffer message = channel.receive();
      while (message != null) {
        dispatcher.dispatch(message, channel);
        message = channel.receive();
      }
    } catch (IOException e) {
      LOG.error("reader ends", e);
      end.compareAndSet(null, new SessionEnd.DeviceFailed(e));
    } finally {
      end.compareAndSet(null, new SessionEnd.Unmounted());
      running.countDown();
      if (running.getCount() == 0) {
        inFlight.close();
      }
    }
  }

  private void joinReaders() {
    long deadline = System.nanoTime() + JOIN_LIMIT.toNanos();
    for (Thread reader : readers) {
      if (reader.equals(Thread.currentThread())) {
        continue;
      }
      boolean ended = false;
      try {
        ended = reader.join(Duration.ofNanos(Math.max(1, deadline - System.nanoTime())));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      if (!ended) {
        LOG.warn("{} still waits in the kernel or in the handler; left behind", reader.getName());
      }
    }
  }
}
