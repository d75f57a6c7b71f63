package io.hypersync.wire.quic;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.codec.SampleMessages;
import io.hypersync.wire.message.ChunkSymbol;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.pki.CertificateFacts;
import io.hypersync.wire.pki.WorkspaceAuthority;
import io.hypersync.wire.transport.ConnectFailure;
import io.hypersync.wire.transport.LeaderTransportListener;
import io.hypersync.wire.transport.SessionId;
import io.hypersync.wire.transport.WorkerTransportListener;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Measures the transport on loopback beside a bare UDP ping-pong in the same run; start {@code
 * main}. Rounds of both alternate, so that other load on the host affects both alike.
 */
final class LoopbackFigures {
  private static final int ROUNDS = 10;
  private static final int PINGS_PER_ROUND = 2_000;
  private static final int CHUNK_BYTES = 64 * 1024;
  private static final int CHUNKS = 4_096;

  /** Long, since no heartbeats are sent here. */
  private static final QuicOptions OPTIONS =
      QuicOptions.defaults().withIdleTimeout(Duration.ofMinutes(2));

  private LoopbackFigures() {}

  public static void main(String[] args) throws Exception {
    Path dir = Files.createTempDirectory("figures");
    WorkspaceAuthority authority = WorkspaceAuthority.create(dir, SampleMessages.WORKSPACE);
    EchoLeader leader = new EchoLeader();
    QuicLeaderServer server =
        QuicLeaderServer.bind(
            Loopback.ANY_PORT, authority.issueLeader(), SampleMessages.WORKSPACE, leader, OPTIONS);
    RecordingListeners.run(server.executor(), () -> leader.server = server);
    PingingWorker worker = new PingingWorker();
    QuicWorkerClient client =
        QuicWorkerClient.create(
            authority.issueWorker(new WorkerId("w1")), SampleMessages.WORKSPACE, worker, OPTIONS);
    worker.client = client;
    RecordingListeners.run(client.executor(), () -> client.connect(server.localAddress()));
    worker.connected.await();

    try (BarePingPong bare = new BarePingPong()) {
      long[] quicNs = new long[ROUNDS * PINGS_PER_ROUND];
      long[] bareNs = new long[ROUNDS * PINGS_PER_ROUND];
      worker.ping(PINGS_PER_ROUND, new long[PINGS_PER_ROUND], 0);
      worker.ping(PINGS_PER_ROUND, new long[PINGS_PER_ROUND], 0);
      bare.ping(PINGS_PER_ROUND, new long[PINGS_PER_ROUND], 0);
      for (int round = 0; round < ROUNDS; round++) {
        worker.ping(PINGS_PER_ROUND, quicNs, round * PINGS_PER_ROUND);
        bare.ping(PINGS_PER_ROUND, bareNs, round * PINGS_PER_ROUND);
      }
      Arrays.sort(quicNs);
      Arrays.sort(bareNs);
      System.out.printf(
          Locale.ROOT,
          "SubmitIntent -> CommitAck: p50 %.1f us, p99 %.1f us%n"
              + "bare UDP ping-pong:        p50 %.1f us, p99 %.1f us; ratio of p50 %.2f%n",
          us(quicNs, 0.5),
          us(quicNs, 0.99),
          us(bareNs, 0.5),
          us(bareNs, 0.99),
          us(quicNs, 0.5) / us(bareNs, 0.5));
      double bareMiB = bare.flood();
      for (int round = 0; round < 3; round++) {
        leader.chunks = new CountDownLatch(CHUNKS);
        long start = System.nanoTime();
        long cpuStart = cpuNs();
        client.executor().execute(() -> worker.upload(CHUNKS));
        boolean arrived = leader.chunks.await(120, TimeUnit.SECONDS);
        double cpuMs = (cpuNs() - cpuStart) / 1e6;
        double mib =
            (double) CHUNKS * CHUNK_BYTES / (1 << 20) / ((System.nanoTime() - start) / 1e9);
        System.out.printf(
            Locale.ROOT,
            "64 KiB chunks: %.0f MiB/s%s, %.1f ms of processor a MiB, both ends together;"
                + " bare UDP of 1350 bytes sent %.0f MiB/s%n",
            mib,
            arrived ? "" : " (did not arrive)",
            cpuMs / ((double) CHUNKS * CHUNK_BYTES / (1 << 20)),
            bareMiB);
      }
    } finally {
      client.shutdown();
      server.shutdown();
      try (Stream<Path> files = Files.walk(dir)) {
        for (Path file : files.toList().reversed()) {
          Files.delete(file);
        }
      }
    }
  }

  /** CPU time of this process, which other load does not change. */
  private static long cpuNs() {
    return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
  }

  private static double us(long[] sortedNs, double quantile) {
    return sortedNs[(int) (sortedNs.length * quantile)] / 1e3;
  }

  private static final class EchoLeader implements LeaderTransportListener {
    @Nullable QuicLeaderServer server;
    volatile CountDownLatch chunks = new CountDownLatch(0);

    @Override
    public void connected(SessionId session, WorkerId worker, SocketAddress address) {}

    @Override
    public void connected(
        SessionId session, WorkerId worker, CertificateFacts cert, SocketAddress address) {}

    @Override
    public void received(SessionId session, WorkerMessage message) {
      if (message instanceof WorkerMessage.SubmitIntent submit && server != null) {
        server.send(
            session,
            new LeaderMessage.CommitAck(submit.intent(), null, SampleMessages.COMMITTED, 9));
      } else if (message instanceof WorkerMessage.ChunkPut) {
        chunks.countDown();
      }
    }

    @Override
    public void flushPoint() {
      if (server != null) {
        server.flush();
      }
    }

    @Override
    public void writable(SessionId session, StreamKind kind) {}

    @Override
    public void closed(SessionId session, String reason) {
      System.out.println("closed: " + reason);
    }
  }

  private static final class PingingWorker implements WorkerTransportListener {
    final CountDownLatch connected = new CountDownLatch(1);
    @Nullable QuicWorkerClient client;
    private final WorkerMessage ping =
        new WorkerMessage.SubmitIntent(
            SampleMessages.INTENT, "a", new byte[60], new byte[100], List.of());
    private final byte[] chunk = new byte[CHUNK_BYTES];
    private CountDownLatch done = new CountDownLatch(0);
    private long[] times = {};
    private int at;
    private int end;
    private int chunksLeft;
    private long start;

    void ping(int count, long[] into, int from) throws InterruptedException {
      CountDownLatch finished = new CountDownLatch(1);
      if (client != null) {
        client
            .executor()
            .execute(
                () -> {
                  done = finished;
                  times = into;
                  at = from;
                  end = from + count;
                  next();
                  client.flush();
                });
      }
      finished.await();
    }

    void upload(int count) {
      chunksLeft = count;
      fill();
    }

    private void fill() {
      if (client == null) {
        return;
      }
      while (chunksLeft > 0 && client.isWritable(StreamKind.CHUNKS)) {
        client.send(new WorkerMessage.ChunkPut(SampleMessages.INTENT, Hash.ZERO, chunk));
        chunksLeft--;
      }
      client.flush();
    }

    private void next() {
      start = System.nanoTime();
      if (client != null) {
        client.send(ping);
      }
    }

    @Override
    public void connected(InetSocketAddress leader) {
      connected.countDown();
    }

    @Override
    public void connectFailed(ConnectFailure failure, String message) {
      throw new IllegalStateException(message);
    }

    @Override
    public void received(ChunkSymbol symbol) {}

    @Override
    public void received(LeaderMessage message) {
      times[at++] = System.nanoTime() - start;
      if (at == end) {
        done.countDown();
      } else {
        next();
      }
    }

    @Override
    public void flushPoint() {
      if (client != null) {
        client.flush();
      }
    }

    @Override
    public void writable(StreamKind kind) {
      fill();
    }

    @Override
    public void closed(String reason) {
      System.out.println("closed: " + reason);
    }
  }

  /** A UDP ping-pong of two threads and two sockets: the least time of any round trip here. */
  private static final class BarePingPong implements AutoCloseable {
    private static final int BYTES = 250;
    private static final int FLOOD_BYTES = 1350;

    private final DatagramChannel here = open();
    private final DatagramChannel there = open();

    BarePingPong() throws IOException {
      here.connect(there.getLocalAddress());
      there.connect(here.getLocalAddress());
      Thread.ofPlatform().daemon().start(this::echo);
    }

    void ping(int count, long[] into, int from) throws IOException {
      ByteBuffer buffer = ByteBuffer.allocateDirect(BYTES);
      for (int i = 0; i < count; i++) {
        long start = System.nanoTime();
        here.write(buffer.clear());
        here.read(buffer.clear());
        into[from + i] = System.nanoTime() - start;
      }
    }

    /** MiB/s of datagrams sent to a socket, whether or not they are read. */
    double flood() throws IOException {
      ByteBuffer buffer = ByteBuffer.allocateDirect(FLOOD_BYTES);
      int count = 200_000;
      try (DatagramChannel out = open();
          DatagramChannel sink = open()) {
        out.connect(sink.getLocalAddress());
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
          out.write(buffer.clear());
        }
        return (double) count * FLOOD_BYTES / (1 << 20) / ((System.nanoTime() - start) / 1e9);
      }
    }

    private void echo() {
      ByteBuffer buffer = ByteBuffer.allocateDirect(2048);
      try {
        while (true) {
          there.read(buffer.clear());
          there.write(buffer.flip());
        }
      } catch (IOException e) {
        // The channel is closed: the run is over.
      }
    }

    private static DatagramChannel open() throws IOException {
      return DatagramChannel.open()
          .setOption(StandardSocketOptions.SO_RCVBUF, 4 << 20)
          .bind(Loopback.ANY_PORT);
    }

    @Override
    public void close() throws IOException {
      here.close();
      there.close();
    }
  }
}
