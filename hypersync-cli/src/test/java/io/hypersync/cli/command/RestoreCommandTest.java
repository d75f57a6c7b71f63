package io.hypersync.cli.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.daemons.Daemons;
import io.hypersync.cli.daemons.WorkspacePath;
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
    String text = RestoreReport.render(answer, "./hypersync restore p --at 7");
    assertTrue(
        text.contains("left      f  (changed by others meanwhile; a part of it is at .h"), text);
    assertTrue(text.endsWith("See what differs: ./hypersync restore p --at 7\n"), text);
    assertFalse(text.contains("--yes"), text);
  }
}
