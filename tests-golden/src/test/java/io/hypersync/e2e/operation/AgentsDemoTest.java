package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.ChildJvm;
import io.hypersync.e2e.harness.Directories;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code demo --agents}, with real daemons and mounts. */
@RealMounts
class AgentsDemoTest {
  @TempDir Path directory;

  @Test
  void itShowsTheCollisionUndoesOneAgentAndLeavesNothing() throws Exception {
    Path launcher = launcher();
    Path parent = Files.createDirectory(directory.resolve("tmp"));
    Map<String, String> environment = new HashMap<>(ChildJvm.environment(directory.resolve("run")));
    environment.put("HYPERSYNC_LAUNCHER", launcher.toString());
    environment.put("HYPERSYNC_JAVA_OPTS", "");
    Shell demo =
        Shell.run(
            directory,
            environment,
            List.of(launcher.toString(), "-Djava.io.tmpdir=" + parent, "demo", "--agents"));
    String said = demo.output();
    assertEquals(0, demo.exit(), said);
    assertTrue(said.contains("stale_overwrite") || said.contains("overlapping_write"), said);
    assertTrue(
        said.lines().anyMatch(line -> line.matches(".*api\\.txt +the API, version 2 by BlueLake")),
        said);
    assertTrue(said.lines().noneMatch(line -> line.contains("notes/SwiftFox ")), said);
    for (String agent : List.of("BlueLake", "GreenHill", "RedStone", "CalmRiver", "OldPine")) {
      assertTrue(said.contains("notes/" + agent + " "), agent + " has lost its work: " + said);
    }
    assertTrue(said.contains("all copies are the same"), said);
    assertEquals(List.of(), Directories.names(parent), "what it has made is gone");
    assertTrue(
        !Files.readString(Path.of("/proc/self/mountinfo")).contains(parent.toString()),
        "nothing is mounted");
  }

  /** The launcher's part that a test has no build for: it starts a JVM with what was compiled. */
  private Path launcher() throws Exception {
    String words =
        ChildJvm.command(List.of()).stream()
            .map(word -> "'" + word.replace("'", "'\\''") + "'")
            .collect(Collectors.joining(" "));
    return Files.writeString(
        Files.createFile(
            directory.resolve("launcher"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))),
        """
        #!/bin/sh
        options=; case $1 in -D*) options=$1; shift ;; esac
        set -- %s "$@"
        java=$1; shift
        exec "$java" $options "$@"
        """
            .formatted(words));
  }
}
