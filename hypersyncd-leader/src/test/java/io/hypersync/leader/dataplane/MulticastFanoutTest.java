package io.hypersync.leader.dataplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.leader.dataplane.DataPlaneSettings.Limits;
import io.hypersync.leader.dataplane.DataPlaneSettings.Mode;
import io.hypersync.leader.port.MulticastPort;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.wire.message.LeaderMessage.MulticastGroup;
import io.hypersync.wire.message.WorkerMessage.MulticastHeard;
import io.hypersync.wire.transport.SessionId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What goes to all workers, how often, and how fast. */
class MulticastFanoutTest {
  private static final SessionId A = new SessionId(1);
  private static final SessionId B = new SessionId(2);
  private static final long MS = 1_000_000;
  private static final int CHUNK_BYTES = 64 << 10;
  private static final long EPOCH = 77;

  private final Group group = new Group();
  private long index;
  private long packet;

  @Test
  void nobodyGetsItWhoDoesNotHear() {
    MulticastFanout fanout = fanout(50 << 20);
    assertFalse(fanout.push(A, written(1), 0));
    heard(fanout, A, 0);
    assertTrue(fanout.push(A, written(1), 0));
    assertFalse(fanout.push(B, written(1), 0));
    assertEquals(1, group.sent.size());
  }

  @Test
  void aChunkGoesToAllOnce() {
    MulticastFanout fanout = bothHear(fanout(50 << 20));
    List<RecentPayloads.Payload> written = written(3);
    assertTrue(fanout.push(A, written, MS));
    assertTrue(fanout.push(B, written, MS));
    assertEquals(3, group.sent.size());
    assertTrue(fanout.push(A, written, 4_000 * MS), "long after that it may be gone again");
    assertEquals(6, group.sent.size());
  }

  @Test
  void whoHasBegunToHearLaterGetsItInAnotherWay() {
    MulticastFanout fanout = fanout(50 << 20);
    heard(fanout, A, 0);
    List<RecentPayloads.Payload> written = written(1);
    assertTrue(fanout.push(A, written, MS));
    heard(fanout, B, 2 * MS);
    assertFalse(fanout.push(B, written, 3 * MS));
    assertTrue(fanout.push(B, written(1), 3 * MS));
  }

  @Test
  void aReportOfAnotherRunIsIgnored() {
    MulticastFanout fanout = fanout(50 << 20);
    fanout.heard(A, new MulticastHeard(EPOCH + 1, 1, 1, 0), 0);
    assertFalse(fanout.push(A, written(1), 0));
  }

  @Test
  void nothingIsSentFasterThanTheRate() {
    MulticastFanout fanout = bothHear(fanout(10 << 20));
    for (long now = 0; now <= 1_000 * MS; now += 10 * MS) {
      heard(fanout, A, now);
      heard(fanout, B, now);
      boolean _ = fanout.push(A, written(20), now); // far more than the rate, so some are refused
      group.tellAll();
      fanout.tick(now);
    }
    long bytes = (long) group.sent.size() * CHUNK_BYTES;
    assertTrue(bytes > 8 << 20 && bytes < 11 << 20, () -> bytes + " in a second");
  }

  @Test
  void noMoreWaitsThanThereIsRoomFor() {
    long rate = 4 << 20;
    MulticastFanout fanout = bothHear(fanout(rate));
    int taken = 0;
    while (fanout.push(A, written(1), 0)) {
      taken++;
      assertTrue(taken < 1_000);
    }
    MulticastStatus status = Objects.requireNonNull(fanout.status());
    assertTrue(status.waitingBytes() <= rate, () -> "more than a second's: " + status);
    assertTrue(status.waitingBytes() > rate - (128 << 10) && taken >= 64, status::toString);
    assertEquals(1, status.refused());
    List<RecentPayloads.Payload> refused = written(1);
    assertFalse(fanout.push(A, refused, 0));
    assertFalse(fanout.push(B, refused, 0), "what was refused does not count as sent");
  }

  /** A thread that reads and encodes slowly has no long queue. */
  @Test
  void fewAreMadeAtATime() {
    MulticastFanout fanout = bothHear(fanout(8L << 30));
    assertTrue(fanout.push(A, written(400), 0));
    assertTrue(group.sent.size() <= 16, () -> group.sent.size() + " at once");
    int first = group.sent.size();
    group.tellAll();
    fanout.tick(MS);
    assertTrue(group.sent.size() > first);
  }

  @Test
  void whileNothingIsSentThereAreBeacons() {
    MulticastFanout fanout = fanout(50 << 20);
    for (long now = 0; now < 2_000 * MS; now += 10 * MS) {
      fanout.tick(now);
    }
    assertEquals(10, group.beacons);
    fanout.ended(A);
    fanout.ended(B);
    fanout.tick(5_000 * MS);
    assertEquals(10, group.beacons, "nobody is there");
  }

  @Test
  void whoLosesMostHasAllGetMoreRepairSymbols() {
    MulticastFanout fanout = bothHear(fanout(50 << 20));
    assertTrue(fanout.push(A, written(1), MS));
    int before = group.repair.getLast();
    packet += 1_000;
    for (int i = 0; i < 5; i++) {
      packet += 1_000;
      fanout.heard(A, new MulticastHeard(EPOCH, packet, packet, 0), MS);
      fanout.heard(B, new MulticastHeard(EPOCH, packet, packet * 9 / 10, 0), MS);
    }
    assertTrue(fanout.push(A, written(1), 300 * MS));
    assertTrue(group.repair.getLast() > before, group.repair::toString);
  }

  @Test
  void aLeaderWithoutAGroupSendsNothing() {
    MulticastFanout none = new MulticastFanout(MulticastPort.NONE, settings(50 << 20), 0);
    assertNull(none.established(A, 0));
    none.tick(0);
    assertFalse(none.push(A, written(1), 0));
    assertNull(none.status());
  }

  private MulticastFanout fanout(long rate) {
    MulticastFanout fanout = new MulticastFanout(group, settings(rate), 0);
    assertNotNull(fanout.established(A, 0));
    assertNotNull(fanout.established(B, 0));
    return fanout;
  }

  private static DataPlaneSettings settings(long rate) {
    return new DataPlaneSettings(Mode.MULTICAST, 1_280, 0.10, Limits.DEFAULT, rate);
  }

  private MulticastFanout bothHear(MulticastFanout fanout) {
    heard(fanout, A, 0);
    heard(fanout, B, 0);
    return fanout;
  }

  private void heard(MulticastFanout fanout, SessionId session, long nowNs) {
    packet++;
    fanout.heard(session, new MulticastHeard(EPOCH, packet, packet, 0), nowNs);
  }

  private List<RecentPayloads.Payload> written(int count) {
    index++;
    List<ChunkRef> chunks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      chunks.add(new ChunkRef(new Hash(index, i, 0, 0), CHUNK_BYTES));
    }
    return List.of(new RecentPayloads.Payload(index, new WorkerId("c"), chunks, true));
  }

  private static final class Group implements MulticastPort {
    private final List<ChunkRef> sent = new ArrayList<>();
    private final List<Integer> repair = new ArrayList<>();
    private final ArrayDeque<Runnable> later = new ArrayDeque<>();
    private int beacons;

    void tellAll() {
      while (!later.isEmpty()) {
        later.removeFirst().run();
      }
    }

    @Override
    public @Nullable MulticastGroup group() {
      return new MulticastGroup(
          new byte[] {(byte) 239, 1, 1, 1}, 7_471, new byte[] {10, 0, 0, 1}, EPOCH, new byte[32]);
    }

    @Override
    public int maxSymbolBytes() {
      return 1_392;
    }

    @Override
    public void sendSymbols(ChunkRef chunk, int symbolBytes, int repairSymbols, Sent then) {
      sent.add(chunk);
      repair.add(repairSymbols);
      later.add(() -> then.sent(57, CHUNK_BYTES));
    }

    @Override
    public void beacon() {
      beacons++;
    }
  }
}
