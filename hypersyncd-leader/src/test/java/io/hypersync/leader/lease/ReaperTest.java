package io.hypersync.leader.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.fixtures.Entries;
import io.hypersync.fixtures.States;
import io.hypersync.leader.quota.QuotaViolations;
import io.hypersync.leader.session.RecordingSessions;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.wire.message.WorkerMessage.OpenLeaseAcquire;
import io.hypersync.wire.message.WorkerMessage.OpenLeaseRelease;
import io.hypersync.wire.message.WorkerMessage.OpenLeaseRenew;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When orphans are reaped (hypersync.md 6.8, 22.1(8)). Times are in milliseconds. */
class ReaperTest {
  private static final long MS = 1_000_000;
  private static final long TTL = 1_000;
  private static final long EPOCH = 5;
  private static final WorkerId W = new WorkerId("w1");
  private static final NodeId NODE = new NodeId(9, 9);

  private final RecordingSessions sessions = new RecordingSessions();
  private FsState head = FsState.genesis();
  private final QuotaViolations violations = new QuotaViolations(Clock.SYSTEM);
  private final OpenLeaseTable leases =
      new OpenLeaseTable(EPOCH, TTL * MS, id -> head.node(id), 100_000, violations);
  private final List<NodeId> reaped = new ArrayList<>();
  private final List<NodeId> needed = new ArrayList<>();
  private final Orphans orphans = new Orphans(head, 0);
  private boolean full;
  private long index;
  private long durable;
  private long now;
  private final Reaper reaper =
      new Reaper(TTL * MS, leases, orphans, sessions.sessions(), needed::contains, this::log, 0);

  @Test
  void nothingIsReapedBeforeItHasBeenDurableForTheTtl() {
    orphan(NODE);
    pass(2 * TTL);
    durable = 1;
    pass(TTL - 50);
    assertEquals(List.of(), reaped);
    pass(100);
    assertEquals(List.of(NODE), reaped);
    assertEquals(0, orphans.size());
    assertEquals(1, reaper.reaped());
  }

  @Test
  void aWorkerThatIsConnectedMustHaveAppliedItForTheTtl() {
    sessions.establish(1, W, 0);
    orphan(NODE);
    durable = 1;
    pass(3 * TTL);
    assertEquals(List.of(), reaped, "it has not reported");
    sessions.report(1, 1);
    pass(TTL - 50);
    assertEquals(List.of(), reaped, "it has just reported");
    pass(200);
    assertEquals(List.of(NODE), reaped);
  }

  @Test
  void aNewSessionHoldsEverythingUpUntilItsWorkerHasReported() {
    orphan(NODE);
    durable = 1;
    pass(TTL - 50);
    sessions.establish(1, W, 1);
    pass(3 * TTL);
    assertEquals(List.of(), reaped);
    sessions.sessions().closed(sessions.id(1));
    pass(200);
    assertEquals(List.of(NODE), reaped);
  }

  /** The worker may have the node open without having reported it on this connection yet. */
  @Test
  void aNewSessionHoldsUpWhatAnotherWorkerHasHeldUntilThen() {
    orphan(NODE);
    durable = 1;
    leases.acquire(W, new OpenLeaseAcquire(EPOCH, List.of(NODE)));
    for (int i = 0; i < 4; i++) {
      pass(TTL / 2);
      leases.renew(W, new OpenLeaseRenew(EPOCH, List.of()));
    }
    sessions.establish(2, new WorkerId("w2"), 0);
    leases.release(W, new OpenLeaseRelease(EPOCH, List.of(NODE)));
    pass(2 * TTL);
    assertEquals(List.of(), reaped, "w2 has not seen yet that it lost its name");
    sessions.report(2, 1);
    pass(TTL + 200);
    assertEquals(List.of(NODE), reaped);
  }

  /** It is as one that is gone, and an install may take an hour. */
  @Test
  void aWorkerThatIsOfferedASnapshotHoldsNothingUp() {
    orphan(NODE);
    durable = 1;
    pass(TTL - 50);
    sessions.establishWithOffer(1, W, 0);
    pass(100);
    assertEquals(List.of(NODE), reaped);
  }

  /** It may have been mounted, and is about to end; until then what it has open stays. */
  @Test
  void theOfferOfASnapshotEndsNoLease() {
    orphan(NODE);
    durable = 1;
    pass(2 * TTL - TTL / 2 - 600);
    leases.acquire(W, new OpenLeaseAcquire(EPOCH, List.of(NODE)));
    pass(TTL / 2);
    leases.established(W);
    sessions.establishWithOffer(1, W, 0);
    pass(TTL / 2 - 50);
    assertEquals(List.of(), reaped, "what was held before");
    leases.acquire(W, new OpenLeaseAcquire(EPOCH, List.of(NODE)));
    pass(TTL - 50);
    assertEquals(List.of(), reaped, "what was held again after the Welcome");
    pass(300);
    assertEquals(List.of(NODE), reaped);
  }

  /** After the install it goes on with the log, and may open what it sees. */
  @Test
  void whoComesBackWithTheSnapshotHoldsEverythingUpAgain() {
    sessions.establishWithOffer(1, W, 0);
    sessions.sessions().closed(sessions.id(1));
    sessions.establish(2, W, 0);
    orphan(NODE);
    durable = 1;
    pass(3 * TTL);
    assertEquals(List.of(), reaped);
    sessions.report(2, 1);
    pass(TTL + 200);
    assertEquals(List.of(NODE), reaped);
  }

  @Test
  void aLeaseLivesAsLongAsItIsRenewed() {
    orphan(NODE);
    durable = 1;
    leases.acquire(W, new OpenLeaseAcquire(EPOCH, List.of(NODE)));
    for (int i = 0; i < 10; i++) {
      pass(TTL / 2);
      leases.renew(W, new OpenLeaseRenew(EPOCH, List.of()));
    }
    assertEquals(List.of(), reaped);
    pass(TTL + 300);
    assertEquals(List.of(NODE), reaped);
    assertEquals(0, leases.size());
  }

  /** As a file that a restore builds and that has no name yet. */
  @Test
  void whatTheLeaderItselfNeedsIsKept() {
    orphan(NODE);
    durable = 1;
    needed.add(NODE);
    pass(3 * TTL);
    assertEquals(List.of(), reaped);
    needed.clear();
    pass(200);
    assertEquals(List.of(NODE), reaped);
  }

  @Test
  void aLeaseThatIsReleasedProtectsNothing() {
    orphan(NODE);
    durable = 1;
    leases.acquire(W, new OpenLeaseAcquire(EPOCH, List.of(NODE)));
    pass(TTL / 2);
    leases.renew(W, new OpenLeaseRenew(EPOCH, List.of(NODE)));
    leases.release(W, new OpenLeaseRelease(EPOCH, List.of(NODE)));
    pass(TTL / 2 + 100);
    assertEquals(List.of(NODE), reaped);
  }

  @Test
  void whatIsNotSaidAgainAfterAHelloEndsWithTheOldLease() {
    orphan(NODE);
    durable = 1;
    pass(TTL / 2);
    leases.acquire(W, new OpenLeaseAcquire(EPOCH, List.of(NODE)));
    leases.established(W);
    pass(TTL / 2 + 300);
    leases.acquire(W, new OpenLeaseAcquire(EPOCH, List.of(new NodeId(1, 2))));
    assertEquals(List.of(), reaped);
    pass(TTL / 2);
    assertEquals(List.of(NODE), reaped);
  }

  @Test
  void whatWasSaidToAnotherLeaderDoesNotCount() {
    leases.acquire(W, new OpenLeaseAcquire(EPOCH + 1, List.of(NODE)));
    assertEquals(0, leases.size());
  }

  @Test
  void aFullLogIsTriedAgain() {
    orphan(NODE);
    durable = 1;
    full = true;
    pass(3 * TTL);
    full = false;
    pass(TTL / 2);
    assertEquals(List.of(NODE), reaped);
  }

  @Test
  void aFileThatGotANameIsLeftAlone() {
    orphan(NODE);
    apply(
        new FsOp.LinkTemporary(
            NODE, FsState.ROOT, Name.of("f".getBytes(StandardCharsets.US_ASCII))),
        LogEntry.NO_NODE);
    durable = 2;
    pass(3 * TTL);
    assertEquals(List.of(), reaped);
    assertEquals(0, orphans.size());
  }

  @Test
  void aPauseOfTheLeaderIsNoTime() {
    orphan(NODE);
    durable = 1;
    now += 100 * TTL;
    tick();
    pass(TTL / 2);
    assertEquals(List.of(), reaped);
  }

  @Test
  void newOrphansHaveTheirTurnHoweverManyAreHeld() {
    List<NodeId> held = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      held.add(new NodeId(7, i));
      orphan(held.getLast());
    }
    durable = index;
    leases.acquire(W, new OpenLeaseAcquire(EPOCH, held));
    for (int i = 0; i < 4; i++) {
      pass(TTL / 2);
      leases.renew(W, new OpenLeaseRenew(EPOCH, List.of()));
    }
    orphan(NODE);
    durable = index;
    for (int i = 0; i < 4; i++) {
      pass(TTL / 2);
      leases.renew(W, new OpenLeaseRenew(EPOCH, List.of()));
    }
    assertEquals(List.of(NODE), reaped);
  }

  @Test
  void anEntryHasABoundedNumber() {
    for (int i = 0; i < 2_500; i++) {
      orphan(new NodeId(7, i));
    }
    durable = index;
    pass(TTL + 100);
    assertEquals(2_500, reaped.size());
    assertEquals(2_503, index, "three entries");
  }

  private void pass(long ms) {
    for (long left = ms; left > 0; left -= 10) {
      now += 10;
      tick();
    }
  }

  private void tick() {
    int _ = reaper.tick(durable, now * MS);
  }

  private boolean log(List<NodeId> nodes) {
    if (full) {
      return false;
    }
    reaped.addAll(nodes);
    apply(new FsOp.ReapOrphans(nodes), LogEntry.NO_NODE);
    return true;
  }

  private void orphan(NodeId node) {
    apply(new FsOp.MakeTemporary(FsState.ROOT, 0600, 0, 0), node);
  }

  private void apply(FsOp op, NodeId created) {
    index++;
    FsState next = States.after(head, op, index, created);
    orphans.applied(Entries.of(index, op).creating(created).entry(), head, next);
    head = next;
  }
}
