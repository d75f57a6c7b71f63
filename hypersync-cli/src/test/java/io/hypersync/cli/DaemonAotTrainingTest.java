package io.hypersync.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.runtime.admin.RunDirectory;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The training run for the daemons' AOT cache. */
class DaemonAotTrainingTest {
  @Test
  void aWorkerJoinsAndTheLeaderEndsWithoutLeavingItsSocket(@TempDir Path folder) throws Exception {
    assertEquals(1, DaemonAotTraining.train(folder), "the entry that every workspace begins with");
    WorkspaceDirectory workspace = WorkspaceDirectory.open(folder.resolve("workspace"));
    Path socket = RunDirectory.of(System.getenv()).leaderSocket(workspace.id());
    assertFalse(Files.exists(socket), socket::toString);
  }
}
