package io.hypersync.worker.dataplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.hypersync.wire.message.LeaderMessage.MulticastGroup;
import io.hypersync.wire.message.WorkerMessage.MulticastHeard;
import io.hypersync.worker.RecordingLeaderLink;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The leader is told what is heard, and never of what was heard before. */
class MulticastReportsTest {
  private static final long MS = 1_000_000;
  private static final MulticastGroup GROUP =
      new MulticastGroup(
          new byte[] {(byte) 239, 1, 1, 1}, 7_471, new byte[] {10, 0, 0, 1}, 9, new byte[32]);

  private final RecordingLeaderLink link = new RecordingLeaderLink();
  private final MulticastReports reports = new MulticastReports(link);

  @Test
  void theFirstPacketIsToldAtOnceAndOthersFiveTimesASecond() {
    reports.join(GROUP);
    assertSame(GROUP, link.joined);
    reports.tick(0);
    assertEquals(List.of(), link.sent);
    heard(1);
    reports.tick(MS);
    heard(2);
    reports.tick(100 * MS);
    assertEquals(1, link.sent.size());
    heard(3);
    reports.tick(201 * MS);
    assertEquals(List.of(counts(1), counts(3)), link.sent);
    reports.tick(5_000 * MS);
    assertEquals(2, link.sent.size(), "nothing new");
  }

  @Test
  void ofAnotherRunNothingIsTold() {
    reports.join(GROUP);
    reports.heard(new MulticastHeard(8, 5, 5, 0));
    reports.tick(MS);
    assertEquals(List.of(), link.sent);
  }

  @Test
  void whatWasHeardBeforeTheConnectionWasLostIsForgotten() {
    reports.join(GROUP);
    heard(7);
    reports.leaderLost();
    assertNull(link.joined);
    reports.tick(MS);
    heard(8);
    reports.tick(MS);
    assertEquals(List.of(), link.sent);
    reports.join(GROUP);
    reports.tick(2 * MS);
    assertEquals(List.of(), link.sent);
    heard(9);
    reports.tick(3 * MS);
    assertEquals(List.of(counts(9)), link.sent);
  }

  private void heard(long packets) {
    reports.heard(counts(packets));
  }

  private static MulticastHeard counts(long packets) {
    return new MulticastHeard(9, packets + 10, packets, 1);
  }
}
