package io.hypersync.cli.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.Invocation;
import io.hypersync.cli.daemons.Daemons;
import io.hypersync.cli.daemons.WorkspacePath;
import io.hypersync.cli.render.RestoreAllReport;
import io.hypersync.cli.render.RestoreReport;
import io.hypersync.runtime.admin.UserError;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a restore is asked for, and what it says in the end. */
class RestoreCommandTest {
  private static final Daemons NONE = Daemons.at(List.of(Path.of("/nowhere.sock")));

  /** A slip in a directory that is in no mount must not bring all of a workspace back. */
  @ParameterizedTest
  @ValueSource(strings = {"", ".", "./", "a/.."})
  void theWholeWorkspaceIsNotMeantBySlip(String path) {
    assertThrows(UserError.class, () -> WorkspacePath.of(path, NONE));
  }

  @Test
  void theWholeWorkspaceIsASlash() {
    assertEquals("/", WorkspacePath.of("/", NONE).inWorkspace());
    assertEquals("src/main", WorkspacePath.of("./src/main/", NONE).inWorkspace());
  }

  @Test
  void whatOthersHaveJustWrittenIsNotOfferedToBeOverwritten() {
    ObjectNode answer =
        JsonNodeFactory.instance
            .objectNode()
            .put("dry_run", false)
            .put("at_index", 7)
            .put("entries", 3)
            .put("left_count", 1)
            .put("no_room", false);
    answer
        .putArray("left")
        .addObject()
        .put("path", "f")
        .put("type", "file")
        .put("action", "changed")
        .put("reason", "changed_meanwhile")
        .put("place", ".hypersync-restore-1");
    String text = RestoreReport.render(answer, "./hypersync restore p --at 7", "");
    assertTrue(
        text.contains("left      f  (changed by others meanwhile; a part of it is at .h"), text);
    assertTrue(text.endsWith("See what differs: ./hypersync restore p --at 7\n"), text);
    assertFalse(text.contains("--yes"), text);
  }

  @Test
  void theRootAtOnceIsAnotherCommand() {
    ObjectNode answer =
        JsonNodeFactory.instance.objectNode().put("dry_run", true).put("at_index", 7);
    answer.putObject("planned").put("made", 3);
    String text = RestoreReport.render(answer, "again", "./hypersync restore --all --at 7");
    assertTrue(text.endsWith("By one entry, at once: ./hypersync restore --all --at 7\n"), text);
    assertFalse(RestoreReport.render(answer, "again", "").contains("--all"));
  }

  private static ObjectNode all(boolean isDry) {
    ObjectNode answer =
        JsonNodeFactory.instance
            .objectNode()
            .put("dry_run", isDry)
            .put("at_index", 7)
            .put("head_index", 40);
    answer.putObject("files").put("back", 2).put("gone", 1).put("changed", 0);
    answer.putObject("directories").put("back", 0).put("gone", 0).put("changed", 1);
    return answer;
  }

  private static String text(ObjectNode answer) {
    return RestoreAllReport.render(answer, index -> "restore --all --at " + index);
  }

  @Test
  void aDryRunOfEverythingSaysHowItIsTakenBack() {
    assertEquals(
        """
        directory: 1 changes
        files: 2 come back, 1 goes
        To entry 7, from the newest one, entry 40: what is above
        Nothing was done. What others write until it is done is gone, too.
        Do it: restore --all --at 7 --yes
        That brings back what is there now: restore --all --at 40 --yes
        """,
        text(all(true)));
  }

  @Test
  void aRestoreOfEverythingIsTakenBackToTheEntryBeforeIt() {
    assertEquals(
        """
        directory: 1 changes
        files: 2 come back, 1 goes
        Restored everything to entry 7, by entry 45
        That brings back what was there: restore --all --at 44 --yes
        """,
        text(all(false).put("entries", 1).put("last_index", 45)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--all p --at 1",
        "--all --at 1 --limit 5",
        "--all --at 1 --planned-at 3",
        "--at 1"
      })
  void allOrAPathIsWanted(String args) {
    Invocation run = Invocation.of(("restore " + args).split(" "));
    assertEquals(UserError.USAGE, run.exitCode(), run.err());
  }
}
