package io.hypersync.wire.quic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.wire.codec.SampleMessages;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.Protocol;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.message.WorkerMessage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Connections between two sides that follow the protocol. */
class QuicTransportTest {
  @TempDir Path dir;

  @Test
  void everyKindOfMessageArrivesBothWaysInOrderWithinItsStream() throws Exception {
    try (Loopback net = new Loopback(dir)) {
      Loopback.Joined worker = net.join("w1");
      RecordingListeners.run(
          worker.client().executor(),
          () -> {
            SampleMessages.worker().forEach(worker.client()::send);
            worker.client().flush();
          });
      List<WorkerMessage> atLeader = new ArrayList<>();
      for (int i = 0; i < SampleMessages.worker().size(); i++) {
        RecordingListeners.Event.FromWorker event =
            net.leader.await(RecordingListeners.Event.FromWorker.class);
        assertEquals(worker.session(), event.session());
        atLeader.add(event.message());
      }
      assertEquals(
          byStream(SampleMessages.worker(), StreamKind::of), byStream(atLeader, StreamKind::of));

      List<LeaderMessage> sent =
          SampleMessages.leader().stream()
              .filter(message -> !(message instanceof LeaderMessage.Refused))
              .toList();
      RecordingListeners.run(
          net.server.executor(),
          () -> {
            sent.forEach(message -> net.server.send(worker.session(), message));
            net.server.flush();
          });
      List<LeaderMessage> atWorker = new ArrayList<>();
      for (int i = 0; i < sent.size(); i++) {
        atWorker.add(worker.told().await(RecordingListeners.Event.FromLeader.class).message());
      }
      assertEquals(byStream(sent, StreamKind::of), byStream(atWorker, StreamKind::of));
    }
  }

  @Test
  void whatIsSentAtTheFlushPointLeavesWithoutAnyFurtherEvent() throws Exception {
    try (Loopback net = new Loopback(dir)) {
      Loopback.Joined worker = net.join("w1");
      int before = net.leader.flushPoints.get();
      net.assertAlive(worker, 1);
      long deadline =
          System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(RecordingListeners.PATIENCE_MS);
      while (net.leader.flushPoints.get() == before && System.nanoTime() < deadline) {
        Thread.onSpinWait();
      }
      assertTrue(net.leader.flushPoints.get() > before, "a flush point follows the message");
    }
  }

  @Test
  void aRefusedWorkerIsToldWhyAndBothSidesEnd() throws Exception {
    try (Loopback net = new Loopback(dir)) {
      Loopback.Joined worker = net.join("w1");
      LeaderMessage.Refused refusal =
          new LeaderMessage.Refused(LeaderMessage.Refused.Reason.DUPLICATE, "w1 is here already");
      RecordingListeners.run(
          net.server.executor(), () -> net.server.close(worker.session(), refusal));
      assertEquals(
          refusal, worker.told().await(RecordingListeners.Event.FromLeader.class).message());
      assertEquals(
          "refused by the leader: DUPLICATE, w1 is here already",
          worker.told().await(RecordingListeners.Event.Closed.class).reason());
      assertEquals(
          new RecordingListeners.Event.Closed(
              worker.session(), "refused: DUPLICATE, w1 is here already"),
          net.leader.await(RecordingListeners.Event.Closed.class));
    }
  }

  @Test
  void aWorkerThatLeavesIsGoneAtOnceAndCanComeBackAsAnotherSession() throws Exception {
    try (Loopback net = new Loopback(dir)) {
      Loopback.Joined worker = net.join("w1");
      RecordingListeners.run(worker.client().executor(), worker.client()::disconnect);
      assertEquals(
          "the worker disconnects",
          worker.told().await(RecordingListeners.Event.Closed.class).reason());
      assertEquals(
          "closed by the other side: the worker disconnects",
          net.leader.await(RecordingListeners.Event.Closed.class).reason());

      RecordingListeners.run(
          worker.client().executor(), () -> worker.client().connect(net.server.localAddress()));
      var _ = worker.told().await(RecordingListeners.Event.Connected.class);
      RecordingListeners.Event.Connected again =
          net.leader.await(RecordingListeners.Event.Connected.class);
      assertTrue(
          Objects.requireNonNull(again.session()).value() > worker.session().value(),
          "a later session");
    }
  }

  @Test
  void aLeaderThatStopsTellsItsWorkers() throws Exception {
    Loopback net = new Loopback(dir);
    try {
      Loopback.Joined worker = net.join("w1");
      net.server.shutdown();
      assertEquals(
          "closed by the other side: the leader stops",
          worker.told().await(RecordingListeners.Event.Closed.class).reason());
      assertEquals(
          "the leader stops", net.leader.await(RecordingListeners.Event.Closed.class).reason());
    } finally {
      net.close();
    }
  }

  @Test
  void aWorkerThatStopsHearsOfItsEnd() throws Exception {
    try (Loopback net = new Loopback(dir)) {
      Loopback.Joined worker = net.join("w1");
      worker.client().shutdown();
      assertEquals(
          "the worker stops", worker.told().await(RecordingListeners.Event.Closed.class).reason());
      assertEquals(
          "closed by the other side: the worker stops",
          net.leader.await(RecordingListeners.Event.Closed.class).reason());
    }
  }

  @Test
  void aMessageThatIsTooLongIsTheSendersMistakeAndHarmsNothing() throws Exception {
    try (Loopback net = new Loopback(dir)) {
      Loopback.Joined worker = net.join("w1");
      LeaderMessage tooLong =
          new LeaderMessage.LogEntries(1, List.of(new byte[Protocol.MAX_FRAME_BYTES]));
      RecordingListeners.run(
          net.server.executor(),
          () -> {
            assertThrows(
                IllegalArgumentException.class, () -> net.server.send(worker.session(), tooLong));
            net.server.send(worker.session(), new LeaderMessage.Heartbeat(1, 2));
            net.server.flush();
          });
      assertEquals(
          new LeaderMessage.Heartbeat(1, 2),
          worker.told().await(RecordingListeners.Event.FromLeader.class).message());
    }
  }

  @Test
  void aSessionThatHasEndedTakesNothingAndIsNotWritable() throws Exception {
    try (Loopback net = new Loopback(dir)) {
      Loopback.Joined worker = net.join("w1");
      RecordingListeners.run(net.server.executor(), () -> net.server.close(worker.session(), null));
      var _ = net.leader.await(RecordingListeners.Event.Closed.class);
      RecordingListeners.run(
          net.server.executor(),
          () -> {
            net.server.send(worker.session(), new LeaderMessage.Heartbeat(1, 2));
            net.server.flush();
            net.server.close(worker.session(), null);
            assertFalse(net.server.isWritable(worker.session(), StreamKind.ACKS));
          });
    }
  }

  private static <M> Map<StreamKind, List<String>> byStream(
      List<M> messages, Function<M, StreamKind> stream) {
    Map<StreamKind, List<String>> streams = new EnumMap<>(StreamKind.class);
    for (M message : messages) {
      streams
          .computeIfAbsent(stream.apply(message), kind -> new ArrayList<>())
          .add(SampleMessages.content(message));
    }
    return streams;
  }
}
