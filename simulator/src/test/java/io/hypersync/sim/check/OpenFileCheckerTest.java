package io.hypersync.sim.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.Entries;
import io.hypersync.fixtures.ManualClock;
import io.hypersync.fixtures.States;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.NegotiatedParams;
import io.hypersync.wire.message.WorkerMessage.WorkerApplied;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When the leader may reap an orphan, by docs/open-leases.md. Times are in milliseconds. */
class OpenFileCheckerTest {
  private static final long MS = 1_000_000;
  private static final long TTL = 3_000;
  private static final String W = "w1";
  private static final NodeId NODE = new NodeId(9, 9);
  private static final byte[] NOTHING = {};

  private final ManualClock clock = new ManualClock();
  private final LogChecker log = new LogChecker(new MutationChecker(clock, TTL * MS), clock);
  private final OpenFileChecker checker = new OpenFileChecker(clock, TTL * MS, log);

  /** Entry 1 makes an orphan, and has been durable for long. */
  @BeforeEach
  void anOrphan() {
    FsOp op = new FsOp.MakeTemporary(FsState.ROOT, 0600, 0, 0);
    Hash root = States.after(FsState.genesis(), op, 1, NODE).root();
    log.grew(List.of(Entries.of(1, op).creating(NODE).root(root).encoded()));
    pass(10 * TTL);
  }

  @Test
  void aConnectedWorkerMustHaveReportedItForTheTtl() {
    connect();
    assertRefused("was reported by w1 never");
    report(0);
    pass(TTL);
    assertRefused("was reported by w1 never");
    report(1);
    pass(TTL - 1);
    assertRefused("was reported by w1 2999 ms ago");
    pass(1);
    reap(W);
    assertEquals(1, checker.reapedCount());
  }

  @Test
  void whatIsOpenOnAConnectedWorkerIsNotReaped() {
    connect();
    report(1);
    checker.opened(W, NODE);
    pass(2 * TTL);
    assertRefused("is reaped and open on w1");
    checker.closed(W, NODE);
    reap(W);
  }

  /** It is as one that is gone: it reports nothing, and does not go on from what it shows. */
  @Test
  void aWorkerThatIsOfferedASnapshotHoldsNothingUp() {
    connect();
    checker.sent(W, offer());
    reap(W);
  }

  @Test
  void whatItHadOpenIsReapedWhenItsLeasesAreOver() {
    connect();
    checker.opened(W, NODE);
    pass(TTL);
    report(1);
    pass(TTL / 2);
    connect();
    checker.sent(W, offer());
    reap(W);
    checker.closed(W, NODE);
    assertEquals(1, checker.lateCount());
  }

  @Test
  void theOfferOfASnapshotEndsNoLease() {
    connect();
    checker.opened(W, NODE);
    pass(TTL);
    report(1);
    pass(TTL / 2 - 1);
    connect();
    checker.sent(W, offer());
    assertRefused("is reaped and open on w1, which reported 1499 ms ago");
  }

  @Test
  void anOfferIsForOneConnection() {
    connect();
    checker.sent(W, offer());
    connect();
    assertRefused("was reported by w1 never");
  }

  @Test
  void noEntryFollowsAnOffer() {
    LeaderMessage entries = new LeaderMessage.LogEntries(1, List.of(new byte[] {1}));
    connect();
    checker.sent(W, entries);
    checker.sent(W, offer());
    checker.sent("w2", entries);
    assertThrows(Violation.class, () -> checker.sent(W, entries));
    connect();
    checker.sent(W, entries);
  }

  private void connect() {
    checker.sent(
        W,
        new LeaderMessage.Welcome(
            new WorkspaceId(1, 1), 1, 1, 100, NegotiatedParams.DEFAULT, 1, (int) TTL));
    checker.established(W, _ -> true);
  }

  private static LeaderMessage offer() {
    return new LeaderMessage.SnapshotOffer(1, Hash.ZERO, NOTHING);
  }

  private void report(long index) {
    WorkerApplied report = new WorkerApplied(index, Hash.ZERO, false, 0, null);
    checker.reporting(W, report);
    checker.reported(W, report, _ -> true);
  }

  private void reap(String... connected) {
    checker.reaping(new FsOp.ReapOrphans(List.of(NODE)), Set.of(connected));
  }

  private void assertRefused(String why) {
    Violation refused = assertThrows(Violation.class, () -> reap(W));
    assertTrue(String.valueOf(refused.getMessage()).endsWith(why), refused::getMessage);
  }

  private void pass(long ms) {
    clock.advance(ms * MS);
  }
}
