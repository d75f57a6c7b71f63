package io.hypersync.cli.render;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

/** What status says of processes that have taken a mount over. */
class SuccessionReportTest {
  private final ObjectNode worker =
      JsonNodeFactory.instance
          .objectNode()
          .put("mount", "/ntmfs/ws/team")
          .put("generation", 3)
          .put("version", "0.1.0")
          .putNull("restart_failed");

  private String report() {
    StringBuilder text = new StringBuilder();
    SuccessionReport.append(text, worker);
    return text.toString();
  }

  @Test
  void theFirstProcessOfAMountIsNotWorthALine() {
    worker.putNull("succession");
    assertEquals("", report());
  }

  @Test
  void howItHasComeToServeIsSaid() {
    worker.putObject("succession").put("how", "handed_over").put("pause_ms", 210).put("starts", 1);
    assertEquals(
        "  /ntmfs/ws/team is served by its process number 3 (version 0.1.0); the one before handed"
            + " over, the pause was 210 ms\n",
        report());
  }

  @Test
  void aRestartThatFailedIsSaidAndItsReasonIsNoTerminalCode() {
    worker.put("restart_failed", "it has ended\u001b[2J");
    assertTrue(
        report()
            .startsWith("  the last restart of /ntmfs/ws/team did not come about: it has ended"),
        report());
    assertFalse(report().contains("\u001b"), report());
  }
}
