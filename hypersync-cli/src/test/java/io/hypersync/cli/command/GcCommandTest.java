package io.hypersync.cli.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hypersync.cli.Invocation;
import io.hypersync.cli.render.GcReport;
import io.hypersync.runtime.admin.UserError;
import org.junit.jupiter.api.Test;

/** {@code gc}: what it says of a collection. */
class GcCommandTest {
  private static final String PINS =
      """
      [{"kind": "uploads", "index": 0, "name": "", "since": null, "bytes": 0},
       {"kind": "log", "index": 7, "name": "", "since": null, "bytes": 1024},
       {"kind": "snapshot", "index": 9, "name": "a\\u001bb", "since": "2026-01-31T09:00:00Z",
        "bytes": 3145728}]
      """;

  @Test
  void beforeTheFirstCollectionItSaysSo() throws Exception {
    assertEquals(
        "No collection has come to its end since the start.\n",
        GcReport.of(status("null", "null", false)));
  }

  @Test
  void whatKeepsContentIsListedWithItsBytes() throws Exception {
    String text = GcReport.of(status(last(false), "null", false));
    assertTrue(text.startsWith("alive 5.0 MiB, dead 2.0 MiB, freed 1.0 MiB in "), text);
    assertTrue(text.contains("snapshot"), text);
    assertTrue(text.contains("3.0 MiB"), text);
    assertTrue(text.contains("1.0 KiB"), text);
    assertTrue(!text.contains("uploads") && !text.contains("\u001b"), text);
    assertTrue(GcReport.of(status(last(true), "null", false)).contains("would free 1.0 MiB"), text);
  }

  @Test
  void whoKeepsTheLogIsSaid() throws Exception {
    assertEquals("behind the newest snapshot", keeper("snapshot", ""));
    assertEquals("replay window", keeper("replay_window", ""));
    assertEquals("read now", keeper("reader", ""));
    assertEquals("installed by a,b", keeper("install", "a,b"));
    assertEquals("worker b", keeper("worker", "b"));
  }

  private static String keeper(String reason, String who) throws Exception {
    String pins =
        """
        [{"kind": "log", "index": 7, "name": "%s", "since": "2026-01-31T09:00:00Z", "bytes": 1024,
          "reason": "%s"}]
        """
            .formatted(who, reason);
    String text = GcReport.of(status(last(false).replace(PINS, pins), "null", false));
    String row = text.lines().filter(line -> line.startsWith("log ")).findFirst().orElseThrow();
    return row.replaceAll("log +7 +(.*?) +2026-01-31T09:00:00Z.*", "$1");
  }

  @Test
  void whyOneHasEndedIsSaid() throws Exception {
    String text = GcReport.of(status("null", "\"a page is missing\"", true));
    assertTrue(text.startsWith("A collection is running: sweeping.\n"), text);
    assertTrue(text.contains("The last one has ended: a page is missing\n"), text);
  }

  /** Another one may have failed since, or before. */
  @Test
  void onlyTheFailureOfTheRunThatWasAskedForCounts() throws Exception {
    JsonNode status = status(last(false), "\"for lack of room\"", false);
    assertSame(status, GcCommand.ended(status, 1));
    UserError failed = assertThrows(UserError.class, () -> GcCommand.ended(status, 2));
    assertEquals("the collection has ended: for lack of room", failed.message());
  }

  @Test
  void itsOptionsExcludeEachOther() {
    for (String[] both :
        new String[][] {
          {"gc", "--run", "--dry-run"}, {"gc", "--status", "--run"}, {"gc", "--status", "--dry-run"}
        }) {
      Invocation refused = Invocation.of(both);
      assertEquals(UserError.USAGE, refused.exitCode());
      assertTrue(refused.err().contains("exclude each other"), refused.err());
    }
  }

  private static String last(boolean isDry) {
    return """
        {"dry_run": %s, "bytes_live": 5242880, "bytes_dead": 2097152, "bytes_freed": 1048576,
         "took_ms": 1500, "pins": %s}
        """
        .formatted(isDry, PINS);
  }

  private static JsonNode status(String last, String failure, boolean isRunning)
      throws JsonProcessingException {
    return new ObjectMapper()
        .readTree(
            """
            {"running": %s, "progress": "sweeping", "last_failure": %s, "last": %s,
             "runs": [{"number": 1, "dry_run": false, "failure": null},
                      {"number": 2, "dry_run": false, "failure": %s}]}
            """
                .formatted(isRunning, failure, last, failure));
  }
}
