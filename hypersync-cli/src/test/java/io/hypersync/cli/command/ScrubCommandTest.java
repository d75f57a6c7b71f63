package io.hypersync.cli.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hypersync.cli.Invocation;
import io.hypersync.cli.render.ScrubReport;
import io.hypersync.runtime.admin.UserError;
import org.junit.jupiter.api.Test;

/** {@code scrub}: what it says of what was found, and what to do about it. */
class ScrubCommandTest {
  private static final String NONE = "null";

  private static final String LOST =
      """
      "lost_items": [{"kind": "chunk", "hash": "aa", "snapshot": 7},
                     {"kind": "page", "hash": "bb", "snapshot": 5}],
      "lost_files": [{"path": "/a\\u001bb", "inode": 12}, {"path": null, "inode": 13}]
      """;

  @Test
  void beforeTheFirstOneItSaysHowToBegin() throws Exception {
    JsonNode status = status(false, NONE, NONE, NONE);
    assertEquals(
        "No scrub has come to its end since the leader started; begin one: ./hypersync scrub"
            + " --run\n",
        ScrubReport.of(status));
    assertEquals(0, ScrubCommand.exitCode(status));
  }

  @Test
  void whereAllIsWellOrMendedTheExitCodeIsZero() throws Exception {
    JsonNode well = status(false, NONE, NONE, figures(0, 0, 0));
    assertEquals(
        """
        1,000 chunks and 20 pages read, 1.0 MiB of 3 snapshots, up to entry 9, in 1s
        all is well
        """,
        ScrubReport.of(well));
    assertEquals(0, ScrubCommand.exitCode(well));
    JsonNode mended = status(false, NONE, NONE, figures(2, 2, 0));
    assertTrue(
        ScrubReport.of(mended).endsWith("2 missing or damaged, 2 mended, 0 lost\n"),
        ScrubReport.of(mended));
    assertEquals(0, ScrubCommand.exitCode(mended));
  }

  @Test
  void whatIsLostIsListedWithWhatToDoAndAnExitCodeOfItsOwn() throws Exception {
    JsonNode status = status(false, NONE, NONE, figures(9, 2, 7));
    assertEquals(3, ScrubCommand.exitCode(status));
    String text = ScrubReport.of(status);
    assertTrue(text.contains("9 missing or damaged, 2 mended, 7 lost\n"), text);
    assertTrue(text.contains("chunk") && text.contains("aa") && text.contains("bb"), text);
    assertTrue(text.contains("and 5 more\n"), text);
    assertTrue(text.contains("/a\\x1bb") && text.contains("(no name)"), text);
    assertTrue(text.contains("then: ./hypersync scrub --run\n"), text);
    assertTrue(text.contains("EIO") && text.contains("./hypersync restore\n"), text);
    assertTrue(text.contains("./hypersync snapshot rm\n"), text);
    assertFalse(text.contains("look at the disk"), text);
    assertFalse(text.contains("\u001b"), text);
  }

  @Test
  void whereSoMuchIsLostThatItHasStoppedTheDiskIsToBlame() throws Exception {
    String cut = figures(9, 2, 7).replace("\"complete\": true", "\"complete\": false");
    String text = ScrubReport.of(status(false, NONE, NONE, cut));
    assertTrue(text.contains("look at the disk"), text);
  }

  @Test
  void oneThatRunsShowsHowFarItIs() throws Exception {
    String text = ScrubReport.of(status(true, NONE, figures(3, 1, 0), NONE));
    assertEquals(
        "A scrub is running: snapshot 4 of 5; 1,000 chunks and 20 pages read, 1.0 MiB;"
            + " 3 missing or damaged, 1 mended, 0 lost, 2 looked for at workers\n"
            + "No scrub has come to its end since the leader started.\n",
        text);
    assertTrue(
        ScrubReport.of(status(true, NONE, NONE, NONE))
            .startsWith("A scrub is running: it begins\n"));
  }

  @Test
  void whyOneWasGivenUpIsSaid() throws Exception {
    String text = ScrubReport.of(status(false, "\"no room\"", NONE, figures(0, 0, 0)));
    assertTrue(text.startsWith("The last one was given up: no room\n"), text);
  }

  /** Another one may have been given up since, or before. */
  @Test
  void onlyTheFailureOfTheRunThatWasAskedForCounts() throws Exception {
    JsonNode status = status(false, "\"no room\"", NONE, figures(0, 0, 0));
    assertSame(status, ScrubCommand.ended(status, 1));
    UserError failed = assertThrows(UserError.class, () -> ScrubCommand.ended(status, 2));
    assertEquals("the scrub was given up: no room", failed.message());
    assertEquals(UserError.FAILED, failed.exitCode());
  }

  @Test
  void itsOptionsExcludeEachOther() {
    Invocation refused = Invocation.of("scrub", "--status", "--run");
    assertEquals(UserError.USAGE, refused.exitCode());
    assertTrue(refused.err().contains("exclude each other"), refused.err());
  }

  private static String figures(int bad, int mended, int lost) {
    return """
        {"index": 9, "snapshots_read": 3, "snapshots": 5, "chunks_read": 1000, "pages_read": 20,
         "bytes_read": 1048576, "bad": %d, "mended": %d, "waiting": 2, "lost": %d,
         "complete": true, "took_ms": 1000, %s}
        """
        .formatted(bad, mended, lost, LOST);
  }

  private static JsonNode status(boolean isRunning, String failure, String current, String last)
      throws JsonProcessingException {
    return new ObjectMapper()
        .readTree(
            """
            {"running": %s, "ended": 2, "last_failure": %s, "current": %s, "last": %s,
             "runs": [{"number": 1, "failure": null}, {"number": 2, "failure": %s}]}
            """
                .formatted(isRunning, failure, current, last, failure));
  }
}
