package io.hypersync.worker.intents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.Entries;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.OpId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.wire.message.LeaderMessage.CommitAck;
import io.hypersync.wire.message.LeaderMessage.Committed;
import io.hypersync.wire.message.LeaderMessage.IntentStatusResponse;
import io.hypersync.wire.message.LeaderMessage.IntentStatusResponse.Status;
import io.hypersync.wire.message.WorkerMessage.SubmitIntent;
import io.hypersync.worker.RecordingLeaderLink;
import io.hypersync.worker.fuse.protocol.RequestId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * A request that one process of a worker has sent to the leader, and the next one finds: answered
 * once, done once (hypersync.md 8.2, decision 048).
 */
class TakenOverIntentsTest {
  private static final ClientId MOUNT = new ClientId(11, 12);
  private static final long DEADLINE_NS = 30_000_000_000L;
  private static final long AGAIN = Long.MIN_VALUE;
  private static final long START = 5;

  private final List<String> told = new ArrayList<>();
  private final Incarnation before = new Incarnation(100);
  private final Incarnation after = new Incarnation(200);

  /** One process after the other; each has an entropy of its own. */
  private final class Incarnation {
    private final RecordingLeaderLink link = new RecordingLeaderLink();
    private long entropy;
    private final IntentTracker tracker;

    Incarnation(long seed) {
      entropy = seed;
      tracker = new IntentTracker(link, () -> ++entropy, DEADLINE_NS, _ -> {});
      tracker.identifyBy(MOUNT);
    }

    void goOn() {
      tracker.goOn(new WorkerId("w1"), START, FsState::genesis);
    }

    IntentId mkdir(long unique, String name) {
      submit(unique, name);
      return ((SubmitIntent) link.sent.getLast()).intent();
    }

    void submit(long unique, String name) {
      tracker.submit(
          Mutations.of(new RequestId(unique), op(name), Mutations.noting(told, name + " ")), 0);
    }
  }

  private static FsOp op(String name) {
    return new FsOp.MakeDir(FsState.ROOT, Name.of(name), 0755, 0, 0);
  }

  private static LogEntry entry(long index, IntentId id) {
    return Entries.of(index, op("x")).at(1).intent(id).entry();
  }

  private static CommitAck committed(IntentId id, long index) {
    return new CommitAck(id, null, new Committed(index, new OpId(1, 1), 1, Hash.ZERO, -1), index);
  }

  @Test
  void theSameRequestHasTheSameIdInEachProcess() {
    assertEquals(before.mkdir(12, "a"), after.mkdir(12 | AGAIN, "a"));
    assertNotEquals(before.mkdir(14, "a"), after.mkdir(16, "a"));
  }

  @Test
  void theMutationsOfOneRequestHaveDifferentIdsInTheSameOrder() {
    List<IntentId> first = List.of(before.mkdir(12, "a"), before.mkdir(12 | 1, "a"));
    assertEquals(2, new HashSet<>(first).size());
    assertEquals(first, List.of(after.mkdir(12, "a"), after.mkdir(12, "a")));
  }

  @Test
  void anotherOpOfTheSameRequestIsAnotherIntent() {
    RequestIdentities one = new RequestIdentities(MOUNT);
    RequestIdentities two = new RequestIdentities(MOUNT);
    FsOp unlink = new FsOp.Unlink(FsState.ROOT, Name.of("a"));
    assertNotEquals(one.next(new RequestId(2), 1, op("a")), two.next(new RequestId(2), 1, unlink));
  }

  /**
   * A file without a name has one once that is done, and the next process links it as any other.
   */
  @Test
  void theFirstNameOfATemporaryFileIsOneIntentWhicheverOpItIs() {
    Name name = Name.of("a");
    assertEquals(
        new RequestIdentities(MOUNT)
            .next(new RequestId(2), 1, new FsOp.LinkTemporary(FsState.ROOT, FsState.ROOT, name)),
        new RequestIdentities(MOUNT)
            .next(new RequestId(2), 1, new FsOp.Link(FsState.ROOT, FsState.ROOT, name)));
  }

  @Test
  void noTwoRequestsOfNoTwoThreadsHaveOneId() {
    RequestIdentities ids = new RequestIdentities(MOUNT);
    Set<IntentId> seen = new HashSet<>();
    for (long unique : new long[] {2, 4, 1L << 33, 1L << 33 | 2, 1L << 40, Long.MAX_VALUE - 1}) {
      for (int caller : new int[] {0, 1, 42, -1}) {
        assertTrue(seen.add(ids.next(new RequestId(unique), caller, op("a"))), "of " + unique);
      }
    }
    assertTrue(
        seen.add(new RequestIdentities(new ClientId(11, 13)).next(new RequestId(2), 1, op("a"))),
        "another mount");
  }

  /** The leader may hold the answer back until other workers show the entry (decision 054). */
  @Test
  void whatTheOtherProcessHasHadCommittedIsAnsweredWhenTheLeaderSaysSo() {
    IntentId id = before.mkdir(12, "a");
    after.goOn();
    after.tracker.applied(entry(START + 1, id), FsState.genesis());
    assertEquals(id, after.mkdir(12 | AGAIN, "a"), "the leader knows it by this id");
    assertEquals(List.of(), told);
    after.tracker.acknowledged(committed(id, START + 1), START + 1, 0);
    assertEquals(List.of("a committed"), told);
    assertEquals(0, after.tracker.size());
  }

  @Test
  void whatIsInTheLogHereSucceedsThoughTheLeaderIsSilent() {
    IntentId id = before.mkdir(12, "a");
    after.goOn();
    after.tracker.applied(entry(START + 1, id), FsState.genesis());
    after.mkdir(12 | AGAIN, "a");
    after.tracker.expire(DEADLINE_NS);
    assertEquals(List.of("a committed"), told);
    assertEquals(0, after.tracker.size());
  }

  @Test
  void whatWasCommittedBeforeTheSnapshotTheLeaderTells() {
    after.goOn();
    IntentId id = after.mkdir(12 | AGAIN, "a");
    after.tracker.acknowledged(committed(id, START), START, 0);
    assertEquals(List.of("a committed"), told, "its entry never comes");
  }

  @Test
  void andSoItDoesAfterAReconnect() {
    after.goOn();
    IntentId id = after.mkdir(12 | AGAIN, "a");
    after.tracker.reconnected(0, 0);
    after.tracker.status(
        new IntentStatusResponse(
            id, Status.COMMITTED, new Committed(START, new OpId(1, 1), 1, Hash.ZERO, -1)),
        START);
    assertEquals(List.of("a committed"), told);
  }

  @Test
  void whatIsCommittedLaterWaitsForItsEntry() {
    after.goOn();
    IntentId id = after.mkdir(12 | AGAIN, "a");
    after.tracker.acknowledged(committed(id, START + 1), START, 0);
    assertEquals(List.of(), told);
    after.tracker.applied(entry(START + 1, id), FsState.genesis());
    after.tracker.completeDone(START + 1);
    assertEquals(List.of("a committed"), told);
  }

  @Test
  void whatIsSentAgainKeepsItsIdThoughTheCallerHasMadeAnotherCall() {
    IntentId first = before.mkdir(12, "a");
    IntentId second = before.mkdir(14, "b");
    before.tracker.reconnected(0, 0);
    before.link.sent.clear();
    before.tracker.status(new IntentStatusResponse(first, Status.NOT_FOUND, null), 0);
    before.tracker.status(new IntentStatusResponse(second, Status.IN_FLIGHT, null), 0);
    before.tracker.retry(0);
    assertEquals(first, ((SubmitIntent) before.link.sent.getLast()).intent());
  }
}
