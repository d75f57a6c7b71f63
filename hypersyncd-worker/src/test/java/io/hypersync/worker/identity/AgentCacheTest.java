package io.hypersync.worker.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** For how long a name is believed. */
final class AgentCacheTest {
  private static final int PID = 4711;
  private static final int LIMIT = 8;

  private final FakeProcesses processes = new FakeProcesses();
  private final AgentCache cache =
      new AgentCache(processes, new AgentResolver(processes, "/mnt"), LIMIT);
  private long nowNs;

  /** What happens at a call. */
  private String call(int tid) {
    String known = cache.known(tid, nowNs);
    return known != null ? known : cache.look(tid, nowNs, 0);
  }

  private void pass(long ms) {
    nowNs += TimeUnit.MILLISECONDS.toNanos(ms);
  }

  @Test
  void aThreadIsLookedAtOnceASecond() {
    processes.process(PID, 1, "AGENT_NAME=Lake");
    assertEquals("Lake", call(PID));
    for (int ms = 0; ms < 999; ms++) {
      assertEquals("Lake", call(PID));
      pass(1);
    }
    assertEquals(1, processes.looks);
    pass(1);
    assertEquals("Lake", call(PID));
    assertEquals(2, processes.looks);
  }

  @Test
  void aThreadWithoutANameIsLookedAtEachTwoSeconds() {
    processes.process(PID, 1, "A=1");
    assertEquals("", call(PID));
    pass(1_999);
    assertEquals("", call(PID));
    assertEquals(1, processes.looks);
    pass(1);
    assertEquals("", call(PID));
    assertEquals(2, processes.looks);
  }

  @Test
  void whoHasTheNumberOfAnotherProcessNeverGetsItsName() {
    processes.process(PID, 1, "AGENT_NAME=Old");
    assertEquals("Old", call(PID));
    processes.ends(PID);
    processes.process(PID, 1, "AGENT_NAME=New");
    assertNull(cache.known(PID, nowNs));
    assertEquals("", cache.believed(PID));
    assertEquals("New", call(PID));
    processes.ends(PID);
    processes.process(PID, 1, "A=1");
    assertEquals("", call(PID));
  }

  @Test
  void afterExecTheNewEnvironmentCounts() {
    processes.process(PID, 1, "A=1");
    assertEquals("", call(PID), "a child of a shell that opens the file of a redirection");
    processes.exec(PID, "AGENT_NAME=Lake");
    assertEquals("Lake", call(PID));
    processes.exec(PID, "A=1");
    assertEquals("", call(PID));
  }

  @Test
  void whereExecIsNotSeenNamesAreLookedAtWhenTheirAgeDoubles() {
    processes.seesExec = false;
    processes.process(PID, 1, "AGENT_NAME=Shell");
    for (int ms = 0; ms < 4_096; ms++) {
      assertEquals("Shell", call(PID));
      pass(1);
    }
    // At 0, 1, 2, 4 ... 1024 ms, and from then on each second.
    assertEquals(12 + 3, processes.looks);
    processes.exec(PID, "A=1");
    pass(1_000);
    assertEquals("", call(PID), "it may be another program now");
    assertEquals("", cache.believed(PID));
  }

  @Test
  void whoHasANameKeepsItWhenItsAncestorEnds() {
    processes.process(300, 1, "AGENT_NAME=Lake").process(PID, 300, "A=1");
    assertEquals("Lake", call(PID));
    processes.ends(300);
    pass(1_000);
    assertEquals("Lake", call(PID));
    assertEquals("Lake", cache.believed(PID));
  }

  @Test
  void aNameThatComesLaterIsFound() {
    processes.process(PID, 1, "TMUX_PANE=%1", "HOME=/home/dev");
    assertEquals("", call(PID));
    processes.file("/home/dev/.claude/agent-mail/identity.1", FakeProcesses.USER, 0, "Lake");
    pass(2_000);
    assertEquals("Lake", call(PID));
    processes.file("/home/dev/.claude/agent-mail/identity.1", FakeProcesses.USER, 0, "River");
    pass(1_000);
    assertEquals("River", call(PID));
  }

  @Test
  void whoIsReplacedDuringALookHasNoName() {
    processes.process(PID, 1, "AGENT_NAME=Old");
    processes.duringLook =
        () -> {
          processes.duringLook = () -> {};
          processes.process(PID, 1, "AGENT_NAME=New");
        };
    assertEquals("", call(PID));
    assertEquals(0, processes.open);
    assertEquals("New", call(PID));
  }

  @Test
  void whoCannotBeWatchedIsLookedAtEachTime() {
    processes.canWatch = false;
    processes.process(PID, 1, "AGENT_NAME=Lake");
    assertEquals("Lake", call(PID));
    processes.exec(PID, "AGENT_NAME=River");
    assertEquals("River", call(PID));
    assertEquals(0, cache.size());
  }

  @Test
  void itIsBoundedAndTheOldestGo() {
    for (int pid = 100; pid < 200; pid++) {
      processes.process(pid, 1, "AGENT_NAME=A" + pid);
      assertEquals("A" + pid, call(pid));
      assertTrue(cache.size() <= LIMIT);
      assertEquals(cache.size(), processes.open);
      assertEquals("A" + pid, cache.known(pid, nowNs));
    }
    cache.close();
    assertEquals(0, processes.open);
    assertEquals(0, cache.size());
  }

  @Test
  void threadsThatHaveEndedAreForgottenWhenOthersCome() {
    for (int pid = 100; pid < 100 + LIMIT / 2; pid++) {
      processes.process(pid, 1, "AGENT_NAME=A");
      call(pid);
      processes.ends(pid);
    }
    processes.process(PID, 1, "AGENT_NAME=Lake");
    call(PID);
    processes.process(PID + 1, 1, "AGENT_NAME=Lake");
    call(PID + 1);
    assertEquals(2, cache.size());
    assertEquals(2, processes.open);
  }
}
