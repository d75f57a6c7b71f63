package io.hypersync.cli.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.cli.launcher.Launcher.Said;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher as a package has it: it builds nothing, and takes the runtime beside it. */
final class InstalledTest {
  private static final String BUILD = "0123456789ab-of-a-test";

  @TempDir Path directory;
  private Path program = Path.of("");

  @BeforeEach
  void install() throws IOException {
    program = directory.resolve("lib/hypersync/program");
    copyTo(program);
  }

  private static void copyTo(Path folder) throws IOException {
    Files.createDirectories(folder.resolve("etc"));
    Files.copy(Launcher.OURS, folder.resolve("hypersync"));
    Files.copy(
        Launcher.OURS.resolveSibling("etc").resolve("jvm-options"),
        folder.resolve("etc/jvm-options"));
    LookingBuilt.write(folder.resolve("hypersync.jvm.args"), "");
    LookingBuilt.write(folder.resolve("hypersync-cli.jar"), "");
    LookingBuilt.write(folder.resolve("installed"), "1.2.3 abcdef123456 " + BUILD + "\n");
    LookingBuilt.write(folder.resolve("runtime/release"), "JAVA_VERSION=\"25.0.3\"\n");
    Path java = folder.resolve("runtime/bin/java");
    LookingBuilt.write(java, "#!/bin/sh\necho \"$0 $*\"\necho \"as $HYPERSYNC_LAUNCHER\"\n");
    assertTrue(java.toFile().setExecutable(true));
  }

  private Said launcher(String... args) throws IOException, InterruptedException {
    return launcher(Map.of(), args);
  }

  private Said launcher(Map<String, String> environment, String... args)
      throws IOException, InterruptedException {
    Map<String, String> all = new HashMap<>(environment);
    all.put("PATH", "/usr/bin:/bin");
    return Launcher.run(program.resolve("hypersync"), all, args);
  }

  @Test
  void itRunsWithItsOwnRuntimeAndSaysItsCommit() throws Exception {
    for (String command : List.of("status", "worker", "leader", "log", "replay")) {
      Said said = launcher(command);
      assertEquals(0, said.exitCode(), said.err());
      assertTrue(said.out().startsWith(program.resolve("runtime/bin/java") + " "), said.out());
      assertTrue(said.out().contains(" -Dhypersync.commit=abcdef123456 "), said.out());
      assertTrue(said.out().contains(" -Dhypersync.program=hypersync "), said.out());
      assertTrue(
          said.out().contains(" -cp " + program + "/hypersync-cli.jar:" + program + "/lib/* "),
          said.out());
      assertTrue(said.out().endsWith("as /usr/bin/hypersync\n"), said.out());
    }
  }

  /** Daemons open jars late: those of the version that they are of must still be there. */
  @Test
  void itRunsFromTheFolderThatAnUpgradeLeavesAlone() throws Exception {
    Path kept = directory.resolve("lib/hypersync/builds").resolve(BUILD);
    copyTo(kept);
    Said said = launcher("worker");
    assertTrue(said.out().startsWith(kept.resolve("runtime/bin/java") + " "), said.out());
    assertTrue(said.out().contains(" -cp " + kept + "/hypersync-cli.jar:"), said.out());
  }

  @Test
  void itIsFoundThroughALink() throws Exception {
    Path link = directory.resolve("bin/hypersync");
    Files.createDirectories(link.getParent());
    Files.createSymbolicLink(link, Path.of("../lib/hypersync/program/hypersync"));
    Said said = Launcher.run(link, Map.of("PATH", "/usr/bin:/bin"), "status");
    assertTrue(said.out().startsWith(program.resolve("runtime/bin/java") + " "), said.out());
  }

  @Test
  void itsHelpIsThatOfAnInstalledProgram() throws Exception {
    Said help = launcher("--help");
    assertEquals(0, help.exitCode());
    assertTrue(help.out().contains("Usage: hypersync <command>"), help.out());
    for (String absent : List.of("./hypersync", "bench", "simulate", "HYPERSYNC_NO_BUILD")) {
      assertFalse(help.out().contains(absent), absent + " in " + help.out());
    }
    assertTrue(help.out().contains("  --version "), help.out());
  }

  @Test
  void whatOnlyASourceTreeCanDoIsSaidSo() throws Exception {
    for (String command : List.of("bench", "simulate", "test", "dist")) {
      Said said = launcher(command);
      assertEquals(1, said.exitCode());
      assertEquals(
          "hypersync: "
              + command
              + " is a command of the source tree, and this is the installed program.\n",
          said.err());
    }
  }

  @Test
  void aDamagedPackageIsSaidSo() throws Exception {
    Files.delete(program.resolve("runtime/bin/java"));
    Said said = launcher("status");
    assertEquals(1, said.exitCode());
    assertTrue(said.err().contains("the package is damaged"), said.err());
  }

  /**
   * The journal has its own times; the launcher looks, for it puts a pipe before standard error.
   */
  @Test
  void onlyWhatGoesToTheJournalIsWrittenForIt() throws Exception {
    assertFalse(launcher(Map.of("JOURNAL_STREAM", "1:2"), "worker").out().contains("log.journal"));
    Path told = directory.resolve("told");
    Process worker =
        new ProcessBuilder(
                "bash",
                "-c",
                "export JOURNAL_STREAM=$(stat -L -c %d:%i \"/proc/$$/fd/2\"); exec \"$@\"",
                "run",
                "bash",
                program.resolve("hypersync").toString(),
                "worker")
            .redirectOutput(told.toFile())
            .redirectError(directory.resolve("journal").toFile())
            .start();
    assertEquals(0, worker.waitFor());
    assertTrue(Files.readString(told).contains(" -Dhypersync.log.journal=true "));
  }
}
