package io.hypersync.cli.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.cli.launcher.Launcher.Said;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code exec}: the launcher sets what the program prints, and the command takes its place. */
final class ExecTest {
  @TempDir Path directory;
  private final LookingBuilt built = new LookingBuilt();

  @BeforeEach
  void build() throws Exception {
    built.in(directory);
    built.java(
        """
        #!/bin/sh
        for word; do case $word in --fail) echo 'hypersync: no' >&2; exit 7 ;; esac; done
        for word; do case $word in -h|--help) echo usage; exit 0 ;; esac; done
        echo "export HYPERSYNC_AGENT='Red Lake'"
        echo 'export GOCACHE=/l/go'
        """);
  }

  private Said launcher(String... args) throws Exception {
    Map<String, String> environment = new HashMap<>();
    environment.put("PATH", "/usr/bin:/bin");
    environment.put("HYPERSYNC_JAVA_HOME", built.jdk().toString());
    return Launcher.run(built.launcher(), environment, args);
  }

  @Test
  void theCommandHasTheEnvironmentAndItsWords() throws Exception {
    Said said =
        launcher(
            "exec",
            "--agent",
            "Red Lake",
            "--",
            "sh",
            "-c",
            "printf '%s|' \"$HYPERSYNC_AGENT\" \"$GOCACHE\" \"$@\"; exit 3",
            "x",
            "a  b",
            "--",
            "*");
    assertEquals(new Said(3, "Red Lake|/l/go|a  b|--|*|", ""), said);
  }

  @Test
  void nothingStaysBetweenTheCallerAndTheCommand() throws Exception {
    Path pid = directory.resolve("pid");
    ProcessBuilder builder =
        new ProcessBuilder(
                "/bin/bash",
                built.launcher().toString(),
                "exec",
                "--agent",
                "x",
                "--",
                "sh",
                "-c",
                "echo $$ > " + pid + "; kill -TERM $$")
            .redirectErrorStream(true);
    builder.environment().put("HYPERSYNC_JAVA_HOME", built.jdk().toString());
    Process process = builder.start();
    assertEquals(128 + 15, process.waitFor());
    assertEquals(process.pid() + "\n", Files.readString(pid));
  }

  @Test
  void aRefusalEndsIt() throws Exception {
    assertEquals(
        new Said(7, "", "hypersync: no\n"), launcher("exec", "--fail", "--", "echo", "ran"));
  }

  @Test
  void whoAsksForHelpGetsIt() throws Exception {
    for (String line : new String[] {"exec --help", "exec -h -- x", "help exec"}) {
      Said said = launcher(line.split(" ", -1));
      assertEquals(new Said(0, "usage\n", ""), said, line);
    }
  }

  @Test
  void withoutACommandItIsRefused() throws Exception {
    for (String line : new String[] {"exec", "exec --agent x", "exec --agent x --"}) {
      Said said = launcher(line.split(" ", -1));
      assertEquals(
          new Said(
              2,
              "",
              """
              hypersync: exec needs a command behind --, and there is none
                ./hypersync exec --agent BlueLake -- make test
              """),
          said,
          line);
    }
  }

  @Test
  void aCommandThatIsNotThereIsSaid() throws Exception {
    assertEquals(
        new Said(127, "", "hypersync: cannot run no-such-tool: there is no such program\n"),
        launcher("exec", "--agent", "x", "--", "no-such-tool"));
  }
}
