package io.hypersync.worker.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProcSignalsTest {
  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "no signal,                0, 0, 0, 0, 0, false",
    "SIGKILL,                100, 0, 0, 0, 0, true",
    "SIGKILL for the process,  0, 100, 0, 0, 0, true",
    "SIGINT with a handler,    0, 2, 0, 0, 2, false",
    "SIGINT without one,       0, 2, 0, 0, 0, true",
    "SIGINT ignored,           0, 2, 0, 2, 0, false",
    "SIGTERM blocked,          0, 4000, 4000, 0, 0, false",
    "SIGALRM handled and KILL, 100, 2000, 0, 0, 2000, true",
    "SIGWINCH and SIGCHLD,     0, 8010000, 0, 0, 0, false",
    "SIGTSTP,                  0, 80000, 0, 0, 0, false",
    "SIGQUIT,                  4, 0, 0, 0, 0, true",
    "the highest of all,       8000000000000000, 0, 0, 0, 0, true",
  })
  void whatEndsAThread(
      String what,
      String own,
      String shared,
      String blocked,
      String ignored,
      String caught,
      boolean ends) {
    List<String> status =
        List.of(
            "Name:\ta: b",
            "Groups:\t4 27 ",
            "SigPnd:\t" + own,
            "ShdPnd:\t" + shared,
            "SigBlk:\t" + blocked,
            "SigIgn:\t" + ignored,
            "SigCgt:\t" + caught);
    assertEquals(ends, ProcSignals.isEnding(status), what);
  }

  /** The kernel cuts names at 15 bytes, even in the middle of a character. */
  @Test
  void aProcessMayHaveAnyName() throws Exception {
    String script = "printf 'a\\345\\217' > /proc/$$/comm && echo ready && read end";
    Process process = new ProcessBuilder("sh", "-c", script).redirectErrorStream(true).start();
    try {
      assertEquals("ready", process.inputReader().readLine());
      assertFalse(new ProcSignals().endCaller((int) process.pid()));
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  @Test
  void aThreadThatIsGoneOrCannotBeSeenHasBeenEnded() {
    assertTrue(new ProcSignals().endCaller(0));
    assertTrue(new ProcSignals().endCaller(Integer.MAX_VALUE));
    assertFalse(new ProcSignals().endCaller((int) ProcessHandle.current().pid()));
  }
}
