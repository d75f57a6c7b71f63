package io.hypersync.wire.quic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.codec.FrameCodec;
import io.hypersync.wire.codec.ProtocolException;
import io.hypersync.wire.codec.SampleMessages;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.message.WorkerMessage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.incubator.codec.quic.QuicConnectionCloseEvent;
import io.netty.incubator.codec.quic.QuicStreamChannel;
import io.netty.incubator.codec.quic.QuicStreamType;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A peer that violates the protocol loses its own connection and affects no other. */
@Tag("slow")
class QuicMisbehaviourTest {
  @TempDir Path dir;

  /** A violation that a worker with a valid certificate could commit. */
  @FunctionalInterface
  interface Crime {
    void commit(RogueClient rogue, Map<StreamKind, QuicStreamChannel> streams) throws Exception;
  }

  static Stream<Arguments> crimes() {
    return Stream.of(
        crime(
            "a frame longer than any may be",
            "a frame of 2147483647 bytes on the CONTROL stream",
            (rogue, streams) -> send(rogue, streams, StreamKind.CONTROL, 0x7f, 0xff, 0xff, 0xff)),
        crime(
            "a frame of negative length",
            "a frame of 4294967295 bytes",
            (rogue, streams) -> send(rogue, streams, StreamKind.INTENTS, 0xff, 0xff, 0xff, 0xff)),
        crime(
            "a frame longer than its kind may be",
            "a BARRIER_REQUEST of 1048575 bytes",
            (rogue, streams) ->
                send(rogue, streams, StreamKind.CONTROL, 0x00, 0x10, 0x00, 0x00, 0x02)),
        crime(
            "a kind that nobody knows",
            "unknown kind 0x3f",
            (rogue, streams) -> send(rogue, streams, StreamKind.CONTROL, 0, 0, 0, 1, 0x3f)),
        crime(
            "a body that is no protobuf",
            "a BARRIER_REQUEST that cannot be parsed",
            (rogue, streams) ->
                send(rogue, streams, StreamKind.CONTROL, 0, 0, 0, 3, 0x02, 0xff, 0xff)),
        crime(
            "a message without its fields",
            "request_id is missing",
            (rogue, streams) -> send(rogue, streams, StreamKind.CONTROL, 0, 0, 0, 1, 0x02)),
        crime(
            "a message on a stream where it does not belong",
            "a BARRIER_REQUEST from a worker on the INTENTS stream",
            (rogue, streams) ->
                send(rogue, streams, StreamKind.INTENTS, 0, 0, 0, 3, 0x02, 0x08, 0x01)),
        crime(
            "what only the leader says",
            "a HEARTBEAT from a worker",
            (rogue, streams) -> send(rogue, streams, StreamKind.CONTROL, 0, 0, 0, 1, 0x43)),
        crime(
            "a chunk without its header",
            "its header alone is 56",
            (rogue, streams) -> send(rogue, streams, StreamKind.CHUNKS, 0, 0, 0, 2, 0x20, 0x00)),
        crime(
            "a datagram",
            "workers send no datagrams",
            (rogue, _) -> rogue.sendDatagram((byte) 0x70, (byte) 1)),
        crime(
            "the end of a stream",
            "it closed its INTENTS stream",
            (rogue, streams) -> {
              var _ = streams.get(StreamKind.INTENTS).shutdownOutput();
            }),
        crime(
            "the reset of a stream",
            "INTENTS stream",
            (rogue, streams) -> {
              var _ = streams.get(StreamKind.INTENTS).shutdownOutput(7);
            }));
  }

  private static Arguments crime(String name, String message, Crime crime) {
    return Arguments.of(name, message, crime);
  }

  private static void send(
      RogueClient rogue,
      Map<StreamKind, QuicStreamChannel> streams,
      StreamKind kind,
      int... bytes) {
    byte[] array = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      array[i] = (byte) bytes[i];
    }
    rogue.send(streams.get(kind), array);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("crimes")
  void aCertifiedWorkerThatBreaksTheProtocolLosesItsConnectionAlone(
      String name, String message, Crime crime) throws Exception {
    try (WarnLines log = new WarnLines();
        Loopback net = new Loopback(dir)) {
      Loopback.Joined good = net.join("good");
      try (RogueClient rogue =
          RogueClient.joined(
              net.server.localAddress(), net.authority.issueWorker(new WorkerId("rogue")))) {
        Map<StreamKind, QuicStreamChannel> streams = new EnumMap<>(StreamKind.class);
        for (StreamKind kind : StreamKind.values()) {
          if (kind.openedByWorker()) {
            streams.put(kind, rogue.open(kind));
          }
        }
        RecordingListeners.Event.Connected connected =
            net.leader.await(RecordingListeners.Event.Connected.class);
        assertEquals(new WorkerId("rogue"), connected.worker());

        crime.commit(rogue, streams);

        RecordingListeners.Event.Closed closed =
            net.leader.await(RecordingListeners.Event.Closed.class);
        assertEquals(connected.session(), closed.session());
        assertTrue(closed.reason().contains(message), closed::reason);
        QuicConnectionCloseEvent told = rogue.awaitClose();
        assertNotNull(told, "the rogue is told");
        assertEquals(closed.reason(), new String(told.reason(), StandardCharsets.UTF_8));
        log.assertOne("WARN worker rogue at /127.0.0.1", message);
      }
      net.assertAlive(good, 1);
    }
  }

  @Test
  void aStreamOfUnknownKindIsRefused() throws Exception {
    assertRefusedStreams(
        "a stream of unknown kind 99",
        rogue -> rogue.open(QuicStreamType.UNIDIRECTIONAL, (byte) 99));
  }

  @Test
  void aStreamOfTheLeadersIsRefused() throws Exception {
    assertRefusedStreams(
        "it cannot open a stream of kind LOG",
        rogue -> rogue.open(QuicStreamType.UNIDIRECTIONAL, (byte) StreamKind.LOG.code()));
  }

  @Test
  void controlInOneDirectionIsRefused() throws Exception {
    assertRefusedStreams(
        "it cannot open a stream of kind CONTROL",
        rogue -> rogue.open(QuicStreamType.UNIDIRECTIONAL, (byte) StreamKind.CONTROL.code()));
  }

  @Test
  void theSameStreamTwiceIsRefused() throws Exception {
    assertRefusedStreams(
        "a second INTENTS stream",
        rogue -> {
          var _ = rogue.open(StreamKind.INTENTS);
          var _ = rogue.open(StreamKind.INTENTS);
        });
  }

  @Test
  void whoOpensNoStreamsIsNotKept() throws Exception {
    assertRefusedStreams("it did not open its streams", rogue -> {});
  }

  /** Opens too few streams, or wrong ones. */
  @FunctionalInterface
  interface Opening {
    void by(RogueClient rogue) throws Exception;
  }

  private void assertRefusedStreams(String message, Opening opening) throws Exception {
    try (WarnLines log = new WarnLines();
        Loopback net =
            new Loopback(dir, QuicOptions.defaults().withIdleTimeout(Duration.ofSeconds(1)));
        RogueClient rogue =
            RogueClient.joined(
                net.server.localAddress(), net.authority.issueWorker(new WorkerId("rogue")))) {
      opening.by(rogue);
      assertNotNull(rogue.awaitClose(), "the leader closes the connection");
      log.assertOne("WARN worker rogue at /127.0.0.1", message);
      assertTrue(net.leader.events.isEmpty(), () -> "it never was there: " + net.leader.events);
    }
  }

  @Test
  void strayDatagramsAreDroppedAndWorkersGoOn() throws Exception {
    long seed = 20_251;
    Random random = new Random(seed);
    try (WarnLines log = new WarnLines();
        Loopback net = new Loopback(dir);
        DatagramSocket stray = new DatagramSocket(Loopback.ANY_PORT)) {
      Loopback.Joined good = net.join("good");
      for (int i = 0; i < 2_000; i++) {
        byte[] bytes = new byte[random.nextInt(1, 1500)];
        random.nextBytes(bytes);
        // Short headers, and long ones of unsupported versions.
        bytes[0] = (byte) (i % 2 == 0 ? bytes[0] & 0x7f : bytes[0] | 0x80);
        stray.send(new DatagramPacket(bytes, bytes.length, net.server.localAddress()));
      }
      net.assertAlive(good, 1);
      assertEquals(List.of(), log.all(), "nothing to say about them; seed " + seed);
    }
  }

  @Test
  void theBeginningOfAHandshakeFollowedByGarbageHarmsNobody() throws Exception {
    long seed = 20_252;
    Random random = new Random(seed);
    try (WarnLines log = new WarnLines();
        Loopback net = new Loopback(dir);
        DatagramSocket stray = new DatagramSocket(Loopback.ANY_PORT)) {
      Loopback.Joined good = net.join("good");
      for (int i = 0; i < 50; i++) {
        byte[] bytes = new byte[1200];
        random.nextBytes(bytes);
        // Initial packet of QUIC version 1, connection ids of 8 bytes, no token, length 1170.
        byte[] header = {(byte) 0xc3, 0, 0, 0, 1, 8};
        System.arraycopy(header, 0, bytes, 0, header.length);
        bytes[14] = 8;
        bytes[23] = 0;
        bytes[24] = 0x44;
        bytes[25] = (byte) 0x92;
        stray.send(new DatagramPacket(bytes, bytes.length, net.server.localAddress()));
      }
      net.assertAlive(good, 1);
      assertTrue(log.all().size() <= 50, () -> "at most a line each: " + log.all());
    }
  }

  @Test
  void whenTheLeaderIsSilentTheWorkerNoticesWithinTheIdleTimeout() throws Exception {
    try (Loopback net =
            new Loopback(dir, QuicOptions.defaults().withIdleTimeout(Duration.ofSeconds(1)));
        CutRelay relay = new CutRelay(net.server.localAddress())) {
      Loopback.Joined worker =
          net.join(
              "w1", QuicOptions.defaults().withIdleTimeout(Duration.ofSeconds(1)), relay.address());
      net.assertAlive(worker, 1);
      relay.cut();
      long start = System.nanoTime();
      // Sending heartbeats that get no response does not keep the connection alive.
      var heartbeat =
          worker
              .client()
              .executor()
              .scheduleAtFixedRate(
                  () -> {
                    worker.client().send(new WorkerMessage.BarrierRequest(2));
                    worker.client().flush();
                  },
                  100,
                  100,
                  TimeUnit.MILLISECONDS);
      String reason = worker.told().await(RecordingListeners.Event.Closed.class).reason();
      long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
      heartbeat.cancel(false);
      assertEquals("nothing was heard from it for 1000 ms", reason);
      assertTrue(tookMs >= 800 && tookMs < 2_500, "noticed after " + tookMs + " ms");
      assertEquals(
          "nothing was heard from it for 1000 ms",
          net.leader.await(RecordingListeners.Event.Closed.class).reason());
    }
  }

  @Test
  void aWorkerThatReadsNothingIsDroppedBeforeItsQueueEatsTheMemory() throws Exception {
    QuicOptions options = QuicOptions.defaults().withQueue(1 << 20, 1 << 18, 8 << 20);
    try (WarnLines log = new WarnLines();
        Loopback net = new Loopback(dir, options)) {
      Loopback.Joined worker = net.join("w1");
      RecordingListeners.run(
          worker.client().executor(), () -> worker.client().setReading(StreamKind.BULK, false));
      LeaderMessage.ChunkData chunk =
          new LeaderMessage.ChunkData(SampleMessages.HASH, new byte[64 * 1024]);
      RecordingListeners.run(
          net.server.executor(),
          () -> {
            for (int i = 0; i < 2_000; i++) {
              net.server.send(worker.session(), chunk);
            }
            net.server.flush();
          });
      String reason = net.leader.await(RecordingListeners.Event.Closed.class).reason();
      assertTrue(reason.contains("wait on the BULK stream"), reason);
      log.assertOne("WARN worker w1", "wait on the BULK stream");
    }
  }

  /** Both sides read with the same code; only the dialect of the worker differs. */
  @Test
  void aWorkerTakesNothingThatOnlyWorkersSay() {
    ByteBuf frame = Unpooled.buffer();
    FrameCodec.encode(new WorkerMessage.BarrierRequest(1), frame);
    String error =
        assertThrows(
                ProtocolException.class,
                () -> MessageCodec.WORKER.decode(StreamKind.CONTROL, frame))
            .getMessage();
    assertTrue(
        String.valueOf(error).contains("BARRIER_REQUEST from the leader"),
        () -> error + " for " + ByteBufUtil.hexDump(frame));
  }
}
