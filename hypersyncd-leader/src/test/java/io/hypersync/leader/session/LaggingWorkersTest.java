package io.hypersync.leader.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.leader.CatchUpLimits;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.message.WorkerMessage.ApplyError;
import io.hypersync.wire.message.WorkerMessage.WorkerApplied;
import io.hypersync.wire.transport.SessionId;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which mounted workers get a snapshot instead of the log (hypersync.md 12.4). */
class LaggingWorkersTest {
  private static final WorkerId W = new WorkerId("w");
  private static final long S = 1_000_000_000L;

  private final WorkerSession session = new WorkerSession(new SessionId(1), W, "here", 0);
  private final LaggingWorkers lagging =
      new LaggingWorkers(new CatchUpLimits(10, 100, 60 * S, 3_600 * S));

  @Test
  void oneThatIsFurtherBehindThanTheLimit() {
    report(900, 1_000, 0, null);
    assertFalse(lagging.isTooSlow(session, 1_000, 0), "100 are allowed");
    report(900, 1_001, 0, null);
    assertTrue(lagging.isTooSlow(session, 1_001, 0));
  }

  /** However few entries they are. */
  @Test
  void oneThatHasNotAppliedWhatWasDurableLongAgo() {
    report(10, 20, 0, null);
    assertEquals(0, session.lagNs(0), "its first goal is 20");
    report(15, 30, 40 * S, null);
    assertEquals(40 * S, session.lagNs(40 * S));
    report(20, 40, 50 * S, null);
    assertEquals(0, session.lagNs(50 * S), "reached; the next goal is 40");
    assertEquals(50 * S + 1, session.lagNs(100 * S + 1));
    assertFalse(lagging.isTooSlow(session, 40, 110 * S));
    assertTrue(lagging.isTooSlow(session, 40, 110 * S + 1));
  }

  @Test
  void oneThatCannotApplyIsLeftAlone() {
    report(0, 1_000, 0, new ApplyError(1, Errno.ENOSPC, "the disk is full"));
    assertFalse(lagging.isTooSlow(session, 1_000, 0));
  }

  @Test
  void oneThatInstallsIsLeftAlone() {
    report(0, 1_000, 0, null);
    session.offered();
    assertFalse(lagging.isTooSlow(session, 1_000, 0));
  }

  @Test
  void oneThatWasHungUpGetsItsSnapshotAndNotAnotherOneAtOnce() {
    report(0, 1_000, 0, null);
    lagging.hungUp(W, 0);
    assertFalse(lagging.isTooSlow(session, 1_000, 60 * S), "again");
    assertTrue(lagging.isMoved(W, 5, 60 * S), "it comes back");
    assertFalse(lagging.isMoved(W, 1_000, 120 * S), "what it could not install");
    assertFalse(lagging.isTooSlow(session, 1_000, 120 * S));
    assertTrue(lagging.isMoved(W, 1_000, 120 * S + 1));
  }

  @Test
  void oneThatComesBackFarBehindGetsIt() {
    assertFalse(lagging.isMoved(W, 100, 0));
    assertTrue(lagging.isMoved(W, 101, 0));
    assertFalse(lagging.isMoved(W, 101, 0), "not twice");
  }

  @ParameterizedTest
  @CsvSource({"100, 50, true", "100, 51, false", "100, 0, true", "1, 0, true"})
  void aSnapshotHasToBringItOn(long lag, long left, boolean isWorthIt) {
    assertEquals(isWorthIt, LaggingWorkers.isWorthIt(lag, left));
  }

  private void report(long visible, long durable, long nowNs, @Nullable ApplyError error) {
    session.reported(new WorkerApplied(visible, Hash.ZERO, true, 0, error), durable, nowNs);
  }
}
