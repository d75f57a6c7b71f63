package io.hypersync.wire.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** When refused peers are worth a log line. */
class UnauthenticatedPeerReportTest {
  private final UnauthenticatedPeerReport report = new UnauthenticatedPeerReport(0);

  @Test
  void workersThatComeAndGoAreWorthNone() {
    assertEquals(null, report.next(new HandshakeCounts(70, 70, 0, 70, 0, 0, 0), 1));
    assertEquals(null, report.next(new HandshakeCounts(700, 699, 1, 600, 0, 0, 0), 2));
  }

  @Test
  void aFloodIsWorthOneLineInAnIntervalWhichSaysHowManyTheyWere() {
    String first = report.next(new HandshakeCounts(20, 2, 18, 1_000, 30, 20, 10), 1);
    assertNotNull(first, "at once");
    assertTrue(first.contains("1000 were asked"), first);
    assertTrue(first.contains("60 of their packets were dropped"), first);
    assertTrue(first.contains("of 20 handshakes 2 were a worker's"), first);
    HandshakeCounts more = new HandshakeCounts(21, 2, 19, 5_000, 100, 20, 10);
    assertEquals(null, report.next(more, UnauthenticatedPeerReport.INTERVAL_NS));
    String second = report.next(more, UnauthenticatedPeerReport.INTERVAL_NS + 1);
    assertNotNull(second, "the next interval");
    assertTrue(second.contains("4000 were asked"), second);
    assertEquals(
        null, report.next(more, 9 * UnauthenticatedPeerReport.INTERVAL_NS), "nobody came since");
  }
}
