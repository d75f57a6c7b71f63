package io.hypersync.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.wire.admin.RunDirectory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the build runs once, so that daemons start sooner. */
class DaemonRehearsalTest {
  @Test
  void theDaemonsComeToTheirEndAndLeaveNoSocket(@TempDir Path folder) throws Exception {
    List<Path> before = RunDirectory.of(System.getenv()).sockets();
    DaemonRehearsal.rehearse(folder);
    assertTrue(Files.isDirectory(folder.resolve("state/chunks")), "a worker has joined");
    assertEquals(before, RunDirectory.of(System.getenv()).sockets());
  }
}
