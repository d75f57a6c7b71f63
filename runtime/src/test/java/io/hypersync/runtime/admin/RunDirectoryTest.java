package io.hypersync.runtime.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Names and location of the admin sockets. */
final class RunDirectoryTest {
  private static final WorkspaceId WORKSPACE =
      WorkspaceId.parse("00112233445566778899aabbccddeeff");

  @TempDir Path directory;

  @Test
  void theEnvironmentNamesTheFolder() {
    assertEquals(Path.of("/run/hypersync"), RunDirectory.of(Map.of()).path());
    assertEquals(
        Path.of("/run/hypersync"), RunDirectory.of(Map.of("HYPERSYNC_RUN_DIR", "")).path());
    assertEquals(Path.of("/x/y"), RunDirectory.of(Map.of("HYPERSYNC_RUN_DIR", "/x/y")).path());
  }

  @Test
  void aSocketIsNamedByRoleWorkspaceAndWorker() {
    RunDirectory run = new RunDirectory(Path.of("/run/hypersync"));
    assertEquals(Path.of("/run/hypersync/leader-00112233.sock"), run.leaderSocket(WORKSPACE));
    assertEquals(
        Path.of("/run/hypersync/worker-00112233-fmd.sock"),
        run.workerSocket(WORKSPACE, new WorkerId("fmd")));
  }

  @Test
  void onlySocketsAreListedLeadersFirst() throws IOException {
    for (String name :
        List.of(
            "worker-00112233-b.sock",
            "leader-00112233.sock",
            "worker-00112233-a.sock",
            ".leader-00112233.sock.new",
            "notes.txt")) {
      Files.createFile(directory.resolve(name));
    }
    assertEquals(
        List.of("leader-00112233.sock", "worker-00112233-a.sock", "worker-00112233-b.sock"),
        new RunDirectory(directory)
            .sockets().stream().map(path -> path.getFileName().toString()).toList());
  }

  @Test
  void aFolderThatIsNotThereHoldsNoSockets() {
    assertEquals(List.of(), new RunDirectory(directory.resolve("none")).sockets());
  }
}
