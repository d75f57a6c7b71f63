package io.hypersync.wire.message;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.wire.codec.SampleMessages;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** On which stream each kind of message is sent (hypersync.md 12.1). */
class StreamKindTest {
  private static final Map<Class<?>, StreamKind> OF_WORKER =
      Map.ofEntries(
          Map.entry(WorkerMessage.Hello.class, StreamKind.CONTROL),
          Map.entry(WorkerMessage.BarrierRequest.class, StreamKind.CONTROL),
          Map.entry(WorkerMessage.WorkerApplied.class, StreamKind.CONTROL),
          Map.entry(WorkerMessage.ChunkFetch.class, StreamKind.CONTROL),
          Map.entry(WorkerMessage.LockRequest.class, StreamKind.CONTROL),
          Map.entry(WorkerMessage.LockRelease.class, StreamKind.CONTROL),
          Map.entry(WorkerMessage.LockCancel.class, StreamKind.CONTROL),
          Map.entry(WorkerMessage.LockRenew.class, StreamKind.CONTROL),
          Map.entry(WorkerMessage.OpenLeaseAcquire.class, StreamKind.CONTROL),
          Map.entry(WorkerMessage.OpenLeaseRelease.class, StreamKind.CONTROL),
          Map.entry(WorkerMessage.OpenLeaseRenew.class, StreamKind.CONTROL),
          Map.entry(WorkerMessage.SubmitIntent.class, StreamKind.INTENTS),
          Map.entry(WorkerMessage.IntentStatusRequest.class, StreamKind.INTENTS),
          Map.entry(WorkerMessage.ChunkAbsent.class, StreamKind.CONTROL),
          Map.entry(WorkerMessage.PastStateRequest.class, StreamKind.CONTROL),
          Map.entry(WorkerMessage.PastStateRelease.class, StreamKind.CONTROL),
          Map.entry(WorkerMessage.DecodeProgress.class, StreamKind.CONTROL),
          Map.entry(WorkerMessage.MulticastHeard.class, StreamKind.CONTROL),
          Map.entry(WorkerMessage.WorkerVisible.class, StreamKind.CONTROL),
          Map.entry(WorkerMessage.RevocationsKept.class, StreamKind.CONTROL),
          Map.entry(WorkerMessage.ChunkCopy.class, StreamKind.CHUNKS),
          Map.entry(WorkerMessage.ChunkPut.class, StreamKind.CHUNKS));

  private static final Map<Class<?>, StreamKind> OF_LEADER =
      Map.ofEntries(
          Map.entry(LeaderMessage.Welcome.class, StreamKind.CONTROL),
          Map.entry(LeaderMessage.Refused.class, StreamKind.CONTROL),
          Map.entry(LeaderMessage.SnapshotOffer.class, StreamKind.CONTROL),
          Map.entry(LeaderMessage.ChunkWanted.class, StreamKind.CONTROL),
          Map.entry(LeaderMessage.PastState.class, StreamKind.CONTROL),
          Map.entry(LeaderMessage.PastStateRefused.class, StreamKind.CONTROL),
          Map.entry(LeaderMessage.MulticastGroup.class, StreamKind.CONTROL),
          Map.entry(LeaderMessage.Revocations.class, StreamKind.CONTROL),
          Map.entry(LeaderMessage.SessionRenewed.class, StreamKind.CONTROL),
          Map.entry(LeaderMessage.VisibilityLease.class, StreamKind.CONTROL),
          Map.entry(LeaderMessage.Notice.class, StreamKind.CONTROL),
          Map.entry(LeaderMessage.Heartbeat.class, StreamKind.CONTROL),
          Map.entry(LeaderMessage.BarrierResponse.class, StreamKind.CONTROL),
          Map.entry(LeaderMessage.LockResponse.class, StreamKind.CONTROL),
          Map.entry(LeaderMessage.LockExpiryWarning.class, StreamKind.CONTROL),
          Map.entry(LeaderMessage.IntentStatusResponse.class, StreamKind.ACKS),
          Map.entry(LeaderMessage.ChunkNeed.class, StreamKind.ACKS),
          Map.entry(LeaderMessage.CommitAck.class, StreamKind.ACKS),
          Map.entry(LeaderMessage.RateLimited.class, StreamKind.ACKS),
          Map.entry(LeaderMessage.LogEntries.class, StreamKind.LOG),
          Map.entry(LeaderMessage.ChunkData.class, StreamKind.BULK),
          Map.entry(LeaderMessage.ChunkUnavailable.class, StreamKind.BULK));

  @Test
  void everyKindOfMessageHasARow() {
    assertEquals(Set.of(WorkerMessage.class.getPermittedSubclasses()), OF_WORKER.keySet());
    assertEquals(Set.of(LeaderMessage.class.getPermittedSubclasses()), OF_LEADER.keySet());
  }

  @Test
  void workersSendEachMessageOnItsStream() {
    Set<Class<?>> sent = new HashSet<>();
    for (WorkerMessage message : SampleMessages.worker()) {
      sent.add(message.getClass());
      assertEquals(OF_WORKER.get(message.getClass()), StreamKind.of(message), message::toString);
      assertTrue(StreamKind.of(message).openedByWorker(), message::toString);
    }
    assertEquals(OF_WORKER.keySet(), sent, "each row has a sample");
  }

  @Test
  void theLeaderSendsEachMessageOnItsStream() {
    Set<Class<?>> sent = new HashSet<>();
    for (LeaderMessage message : SampleMessages.leader()) {
      StreamKind stream = StreamKind.of(message);
      sent.add(message.getClass());
      assertEquals(OF_LEADER.get(message.getClass()), stream, message::toString);
      assertTrue(stream == StreamKind.CONTROL || !stream.openedByWorker(), message::toString);
    }
    assertEquals(OF_LEADER.keySet(), sent, "each row has a sample");
  }
}
