package io.hypersync.worker.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.wire.message.SeenState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a worker has seen, on disk. */
final class SeenFileTest {
  private static final WorkspaceId WORKSPACE = new WorkspaceId(1, 2);
  private static final SeenState SEEN = new SeenState(-7, 3, 41_372, new Hash(1, 2, 3, -4));

  @TempDir Path directory;

  private SeenFile file() {
    return new SeenFile(directory, WORKSPACE);
  }

  @Test
  void itIsReadAsItWasWritten() {
    assertEquals(SeenState.NONE, file().read());
    file().write(SEEN, false);
    assertEquals(SEEN, file().read());
    SeenState later = new SeenState(-7, 3, 41_373, Hash.ZERO);
    file().write(later, true);
    assertEquals(later, file().read());
  }

  /** As the version before has written it, which knew no terms. */
  @Test
  void aFileOfTheFirstVersionIsOfTheFirstTerm() throws IOException {
    Files.writeString(
        directory.resolve("seen"),
        """
        hypersync-seen: 1
        workspace: %s
        lineage: fffffffffffffff9
        index: 41372
        root: %s
        """
            .formatted(WORKSPACE, SEEN.root()));
    assertEquals(new SeenState(-7, 0, 41_372, SEEN.root()), file().read());
  }

  @Test
  void whatIsOfAnotherWorkspaceIsNone() {
    file().write(SEEN, false);
    assertEquals(SeenState.NONE, new SeenFile(directory, new WorkspaceId(1, 3)).read());
  }

  @Test
  void whatIsDamagedIsNone() throws IOException {
    String good = SeenFile.text(SEEN, WORKSPACE);
    for (String bad :
        List.of(
            "",
            "garbage",
            good.replace("seen: 2", "seen: 3"),
            good.replace("seen: 2", "seen: 1"),
            good.replace("term: 3", "term: -3"),
            good.replace("term: 3", "term: "),
            good.replace("41372", "0"),
            good.replace("41372", "-1"),
            good.replace("41372", "x"),
            good.substring(0, good.length() - 3) + "\n",
            good.stripTrailing(),
            good + "more\n")) {
      Files.writeString(directory.resolve("seen"), bad);
      assertEquals(SeenState.NONE, file().read(), bad);
    }
  }
}
