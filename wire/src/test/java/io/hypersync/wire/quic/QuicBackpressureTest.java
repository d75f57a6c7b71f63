package io.hypersync.wire.quic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.codec.SampleMessages;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.pki.CertificateFacts;
import io.hypersync.wire.pki.WorkspaceAuthority;
import io.hypersync.wire.transport.LeaderTransportListener;
import io.hypersync.wire.transport.SessionId;
import io.netty.buffer.PooledByteBufAllocator;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** 64 MiB of chunks to a leader that stops reading, while messages on other streams still pass. */
class QuicBackpressureTest {
  private static final int CHUNK_BYTES = 64 * 1024;
  private static final int CHUNKS = 1024;

  @TempDir Path dir;

  /** Counts and verifies chunks; answers barriers. */
  private static final class CountingLeader implements LeaderTransportListener {
    final AtomicInteger chunks = new AtomicInteger();
    final CountDownLatch all = new CountDownLatch(CHUNKS);
    final AtomicReference<@Nullable SessionId> session = new AtomicReference<>();
    final AtomicReference<@Nullable String> wrong = new AtomicReference<>();
    @Nullable QuicLeaderServer server;

    @Override
    public void connected(SessionId id, WorkerId worker, SocketAddress address) {
      throw new AssertionError("a worker without a certificate");
    }

    @Override
    public void connected(
        SessionId id, WorkerId worker, CertificateFacts cert, SocketAddress address) {
      session.set(id);
      if (server != null) {
        server.setReading(id, StreamKind.CHUNKS, false);
      }
    }

    @Override
    public void received(SessionId id, WorkerMessage message) {
      switch (message) {
        case WorkerMessage.ChunkPut put -> {
          int number = chunks.getAndIncrement();
          if (put.hash().w0() != number || put.bytes()[CHUNK_BYTES - 1] != (byte) number) {
            wrong.set("chunk " + put.hash().w0() + " at place " + number);
          }
          all.countDown();
        }
        case WorkerMessage.BarrierRequest barrier -> {
          if (server != null) {
            server.send(id, new LeaderMessage.BarrierResponse(barrier.requestId(), 1));
          }
        }
        default -> wrong.set("unexpected " + message);
      }
    }

    @Override
    public void flushPoint() {
      if (server != null) {
        server.flush();
      }
    }

    @Override
    public void writable(SessionId id, StreamKind kind) {}

    @Override
    public void closed(SessionId id, String reason) {}
  }

  @Test
  void chunksWaitForASlowLeaderInBoundedMemoryAndBlockNothingElse() throws Exception {
    CountingLeader leader = new CountingLeader();
    WorkspaceAuthority authority =
        WorkspaceAuthority.create(dir.resolve("ca"), SampleMessages.WORKSPACE);
    QuicOptions options = QuicOptions.defaults();
    QuicLeaderServer server =
        QuicLeaderServer.bind(
            Loopback.ANY_PORT, authority.issueLeader(), SampleMessages.WORKSPACE, leader, options);
    RecordingListeners.run(server.executor(), () -> leader.server = server);
    RecordingListeners.Worker told = new RecordingListeners.Worker();
    QuicWorkerClient client =
        QuicWorkerClient.create(
            authority.issueWorker(new WorkerId("w1")), SampleMessages.WORKSPACE, told, options);
    try {
      InetSocketAddress address = server.localAddress();
      RecordingListeners.run(client.executor(), () -> client.connect(address));
      var _ = told.await(RecordingListeners.Event.Connected.class);
      long directBefore = PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();

      int sent = 0;
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      // The leader does not read: the amount accepted must level off far below the 64 MiB.
      int stalledRounds = 0;
      while (stalledRounds < 20) {
        int from = sent;
        sent = RecordingListeners.on(client.executor(), () -> sendWhileWritable(client, from));
        stalledRounds = sent == from ? stalledRounds + 1 : 0;
        TimeUnit.MILLISECONDS.sleep(10);
        assertTrue(System.nanoTime() < deadline, "levels off");
      }
      long accepted = (long) sent * CHUNK_BYTES;
      assertTrue(accepted <= 32L << 20, "accepted " + accepted + " bytes though nobody reads them");
      assertEquals(0, leader.chunks.get(), "none is delivered");

      // Other streams are not affected.
      RecordingListeners.run(
          client.executor(),
          () -> {
            client.send(new WorkerMessage.BarrierRequest(4711));
            client.flush();
          });
      assertEquals(
          new LeaderMessage.BarrierResponse(4711, 1),
          told.await(RecordingListeners.Event.FromLeader.class).message());
      long direct = PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory() - directBefore;
      assertTrue(direct < 48L << 20, "direct memory grew by " + direct + " bytes");

      RecordingListeners.run(
          server.executor(),
          () -> {
            SessionId session = leader.session.get();
            if (session != null) {
              server.setReading(session, StreamKind.CHUNKS, true);
            }
          });
      while (sent < CHUNKS) {
        int from = sent;
        sent = RecordingListeners.on(client.executor(), () -> sendWhileWritable(client, from));
        if (sent < CHUNKS) {
          assertEquals(
              StreamKind.CHUNKS,
              told.writable.poll(RecordingListeners.PATIENCE_MS, TimeUnit.MILLISECONDS),
              "it is told when it may go on, after " + sent + " chunks");
        }
      }
      assertTrue(
          leader.all.await(30, TimeUnit.SECONDS),
          () -> leader.chunks.get() + " of " + CHUNKS + " chunks arrived");
      assertEquals(null, leader.wrong.get());
    } finally {
      client.shutdown();
      server.shutdown();
    }
  }

  private static int sendWhileWritable(QuicWorkerClient client, int from) {
    int next = from;
    while (next < CHUNKS && client.isWritable(StreamKind.CHUNKS)) {
      byte[] bytes = new byte[CHUNK_BYTES];
      Arrays.fill(bytes, (byte) next);
      client.send(
          new WorkerMessage.ChunkPut(SampleMessages.INTENT, new Hash(next, 0, 0, 0), bytes));
      next++;
    }
    client.flush();
    return next;
  }
}
