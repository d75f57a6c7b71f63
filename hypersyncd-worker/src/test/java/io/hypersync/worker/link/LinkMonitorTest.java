package io.hypersync.worker.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.wire.message.Features;
import io.hypersync.worker.WorkerConfig;
import org.junit.jupiter.api.Test;

/** When the leader counts as unreachable, and when the worker reconnects (hypersync.md 6.4). */
class LinkMonitorTest {
  private static final long MS = 1_000_000;

  private final LinkMonitor monitor =
      new LinkMonitor(
          new WorkerConfig(
              new WorkspaceId(1, 1),
              new WorkerId("w1"),
              1_000 * MS,
              250 * MS,
              0,
              0,
              50 * MS,
              300 * MS,
              0,
              Long.MAX_VALUE,
              Features.SUPPORTED),
          0);

  @Test
  void theFirstAttemptIsDueAtOnce() {
    assertEquals(LinkState.DOWN, monitor.state());
    assertTrue(monitor.attemptIsDue(0));
    monitor.connecting();
    assertFalse(monitor.attemptIsDue(Long.MAX_VALUE), "one is under way");
  }

  @Test
  void pausesDoubleUpToALimitAndBeginAnewAfterAWelcome() {
    long now = 0;
    for (long pauseMs : new long[] {50, 100, 200, 300, 300}) {
      monitor.connecting();
      monitor.down("no answer", now);
      assertFalse(monitor.attemptIsDue(now + pauseMs * MS - 1), "before " + pauseMs + " ms");
      now += pauseMs * MS;
      assertTrue(monitor.attemptIsDue(now), "after " + pauseMs + " ms");
    }
    monitor.handshaking(now);
    monitor.welcomed(now);
    monitor.down("lost", now);
    assertTrue(monitor.attemptIsDue(now + 50 * MS));
  }

  @Test
  void aLeaderThatHasAnotherLogIsAskedAgainAfterALongPause() {
    monitor.connecting();
    monitor.downForLong("another log", 0);
    monitor.down("the connection ended", 1); // the end of the refused connection
    assertEquals("another log", monitor.reason());
    assertFalse(monitor.attemptIsDue(LinkMonitor.LONG_PAUSE_NS - 1));
    assertTrue(monitor.attemptIsDue(LinkMonitor.LONG_PAUSE_NS));
    monitor.connecting();
    monitor.down("no answer", LinkMonitor.LONG_PAUSE_NS);
    assertTrue(monitor.attemptIsDue(LinkMonitor.LONG_PAUSE_NS + 50 * MS));
  }

  @Test
  void aLeaderThatIsNeverHeardIsSilentAfterTheTimeout() {
    monitor.handshaking(0);
    assertEquals(1_000, silentAfterMs(0, 10));
  }

  @Test
  void everyMessageStartsTheTimeAnew() {
    monitor.handshaking(0);
    for (long at = 0; at < 5_000; at += 90) {
      assertFalse(monitor.isSilent(at * MS, 0));
      monitor.heard(at * MS);
    }
  }

  @Test
  void aPauseOfTheWorkerItselfIsNoSilence() {
    monitor.handshaking(0);
    assertFalse(monitor.isSilent(60_000 * MS, 0), "what has arrived meanwhile was not read yet");
    assertEquals(60_900, silentAfterMs(60_000, 10), "from here on it counts");
  }

  @Test
  void aMachineThatWasSuspendedForTheTimeoutKnowsAtOnceThatItIsStale() {
    monitor.handshaking(0);
    assertFalse(monitor.isSilent(50 * MS, 0));
    assertTrue(monitor.isSilent(1_050 * MS, 1_000 * MS));
  }

  /** It was in the socket's buffer when the machine went to sleep. */
  @Test
  void whatIsHeardAtTheWakeIsOlderThanTheSleep() {
    monitor.handshaking(0);
    assertFalse(monitor.isSilent(50 * MS, 0));
    monitor.heard(60_000 * MS);
    assertTrue(monitor.isSilent(60_000 * MS, 59_950 * MS));
  }

  @Test
  void aShortSleepCountsAsSilenceInPart() {
    monitor.handshaking(0);
    assertFalse(monitor.isSilent(650 * MS, 600 * MS));
    assertFalse(monitor.isSilent(700 * MS, 600 * MS), "less than a tenth of the timeout later");
    assertFalse(monitor.isSilent(950 * MS, 600 * MS));
    assertFalse(monitor.isSilent(1_051 * MS, 600 * MS));
    assertFalse(monitor.isSilent(1_152 * MS, 600 * MS));
    assertTrue(monitor.isSilent(1_253 * MS, 600 * MS));
  }

  @Test
  void aSleepBeforeTheConnectionDoesNotCount() {
    assertFalse(monitor.isSilent(60_000 * MS, 59_000 * MS));
    monitor.handshaking(60_000 * MS);
    assertFalse(monitor.isSilent(60_001 * MS, 59_000 * MS));
  }

  @Test
  void withoutAConnectionThereIsNoSilence() {
    assertFalse(monitor.isSilent(60_000 * MS, 0));
    monitor.connecting();
    assertFalse(monitor.isSilent(120_000 * MS, 0));
  }

  @Test
  void theWayToLiveAndBack() {
    monitor.connecting();
    assertFalse(monitor.isConnected());
    monitor.handshaking(0);
    assertTrue(monitor.isConnected());
    monitor.welcomed(0);
    assertEquals(LinkState.CATCHING_UP, monitor.state());
    monitor.live();
    assertEquals("", monitor.reason());
    monitor.down("gone", 0);
    assertEquals("gone", monitor.reason());
    assertFalse(monitor.isConnected());
  }

  @Test
  void aRefusedWorkerDoesNotTryAgain() {
    monitor.refused("foreign", 0);
    assertFalse(monitor.attemptIsDue(Long.MAX_VALUE));
    assertEquals("foreign", monitor.reason());
  }

  /**
   * A restarted worker meets its own old connection, which soon ends; another host with its token
   * does not go away.
   */
  @Test
  void whoIsThereAlreadyIsAskedEverMoreSeldomAndSaysSoOnce() {
    long nowNs = 0;
    int attempts = 0;
    boolean reportedAgain = false;
    assertTrue(monitor.takenElsewhere("there", nowNs));
    while (nowNs < 3_600_000 * MS) {
      nowNs += 10 * MS;
      if (monitor.attemptIsDue(nowNs)) {
        attempts++;
        reportedAgain |= monitor.takenElsewhere("there", nowNs);
        assertTrue(attempts < 5 || nowNs > 1_000 * MS, "not within a second");
        assertTrue(attempts != 6 || nowNs < 4_000 * MS, "a few times in the first seconds");
      }
    }
    assertFalse(reportedAgain);
    assertTrue(attempts > 100 && attempts < 140, "every half a minute: " + attempts);
    monitor.welcomed(nowNs);
    assertTrue(monitor.takenElsewhere("there", nowNs), "news after a welcome");
  }

  @Test
  void sinceWhenItIsNotLiveIsKnown() {
    monitor.welcomed(0);
    monitor.live();
    monitor.down("gone", 7);
    monitor.down("still gone", 9);
    assertEquals(7, monitor.notLiveSinceNs());
  }

  private long silentAfterMs(long fromMs, long everyMs) {
    long at = fromMs;
    while (!monitor.isSilent(at * MS, 0)) {
      at += everyMs;
      assertTrue(at < fromMs + 10_000, "never");
    }
    return at;
  }
}
