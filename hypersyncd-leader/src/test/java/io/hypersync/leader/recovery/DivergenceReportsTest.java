package io.hypersync.leader.recovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkerId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A worker's claim that the log is wrong is audited, but cannot keep a processor busy. */
class DivergenceReportsTest {
  private static final WorkerId ONE = new WorkerId("w1");
  private static final WorkerId TWO = new WorkerId("w2");
  private static final Hash OURS = new Hash(1, 1, 1, 1);
  private static final Hash THEIRS = new Hash(2, 2, 2, 2);
  private static final long DURABLE = 1_000_000;
  private static final long SECOND = 1_000_000_000;

  private final List<Long> audits = new ArrayList<>();
  private final DivergenceReports divergences =
      new DivergenceReports((index, nodes) -> audits.add(index * nodes));
  private long nowNs;

  @Test
  void aClaimHasTheLogReplayed() {
    claim(ONE, 7);
    assertEquals(List.of(70L), audits);
    assertEquals(1, divergences.audits());
  }

  @Test
  void aWrongLogEndsTheLeader() {
    claim(ONE, 7);
    AuditFinding wrong = new AuditFinding.Wrong(7, 5, "mismatch");
    WrongRootException ends =
        assertThrows(WrongRootException.class, () -> divergences.audited(wrong, nowNs));
    assertEquals("log entry 5 is wrong: mismatch", ends.getMessage());
  }

  @Test
  void whatIsNotInTheLogIsNoClaim() {
    claim(ONE, 0);
    claim(ONE, -1);
    claim(ONE, DURABLE + 1);
    assertEquals(List.of(), audits);
  }

  @Test
  void oneAtATime() {
    claim(ONE, 7);
    claim(TWO, 8);
    claim(ONE, 7);
    assertEquals(1, audits.size());
  }

  @Test
  void anEntryThatWasFoundRightStaysRight() {
    claim(ONE, 7);
    divergences.audited(new AuditFinding.Right(7, OURS), nowNs);
    nowNs += 10 * DivergenceReports.WORKER_PAUSE_NS;
    claim(ONE, 7);
    claim(TWO, 7);
    assertEquals(1, audits.size());
  }

  @Test
  void afterAReplayThereIsNoneForManyTimesAsLong() {
    claim(ONE, 7);
    nowNs += 10 * SECOND;
    divergences.audited(new AuditFinding.Right(7, OURS), nowNs);
    nowNs += (DivergenceReports.PAUSE_FACTOR * 10L - 1) * SECOND;
    claim(TWO, 8);
    assertEquals(1, audits.size());
    nowNs += SECOND;
    claim(TWO, 8);
    assertEquals(2, audits.size());
  }

  @Test
  void aWorkerIsListenedToOnceInAWhile() {
    claim(ONE, 7);
    divergences.audited(new AuditFinding.Unknown(7, "no memory"), nowNs);
    for (long index = 7; index < 1_000; index++) {
      nowNs += DivergenceReports.WORKER_PAUSE_NS / 1_000;
      claim(ONE, index);
    }
    assertEquals(1, audits.size());
    nowNs += DivergenceReports.WORKER_PAUSE_NS;
    claim(ONE, 7);
    assertEquals(2, audits.size(), "what could not be found out is tried again");
  }

  private void claim(WorkerId worker, long index) {
    divergences.claimed(worker, index, THEIRS, DURABLE, 10, nowNs);
  }
}
