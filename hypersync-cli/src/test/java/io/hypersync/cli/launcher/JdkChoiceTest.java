package io.hypersync.cli.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.cli.launcher.Launcher.Said;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which JDK of several the launcher chooses; the JDKs are directories with a release file. */
final class JdkChoiceTest {

  @TempDir Path directory;
  private final Map<String, String> environment = new HashMap<>();

  @BeforeEach
  void useOnlyTheFoldersOfTheTest() {
    environment.put("PATH", "/usr/bin:/bin");
    environment.put("HYPERSYNC_JDK_DIRS", directory.toString());
  }

  private Path jdk(String folder, String version) throws IOException {
    Path home = Files.createDirectories(directory.resolve(folder));
    Files.writeString(
        home.resolve("release"),
        "IMPLEMENTOR=\"Somebody\"\nJAVA_VERSION=\"" + version + "\"\nOS_NAME=\"Linux\"\n");
    executable(home.resolve("bin/java"));
    executable(home.resolve("bin/javac"));
    return home;
  }

  private static void executable(Path file) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, "#!/bin/sh\nexit 99\n");
    assertTrue(file.toFile().setExecutable(true));
  }

  private Said launcher(String... args) throws IOException, InterruptedException {
    return Launcher.run(Launcher.OURS, environment, args);
  }

  private void assertTaken(Path home) throws IOException, InterruptedException {
    assertEquals(new Said(0, home + "\n", ""), launcher("jdk"));
  }

  @Test
  void theOldestThatWillDoIsTaken() throws Exception {
    jdk("a-8", "1.8.0_392");
    jdk("b-21", "21.0.2");
    jdk("c-26", "26-ea");
    Path wanted = jdk("d-25", "25.0.3");
    jdk("e-27", "27");
    assertTaken(wanted);
  }

  @Test
  void anExplicitChoiceIsTaken() throws Exception {
    jdk("a-25", "25");
    environment.put("HYPERSYNC_JAVA_HOME", jdk("b-26", "26.0.1").toString());
    environment.put("JAVA_HOME", jdk("c-25", "25").toString());
    assertTaken(directory.resolve("b-26"));
  }

  @Test
  void anExplicitChoiceThatIsTooOldIsAnError() throws Exception {
    jdk("a-25", "25");
    Path old = jdk("b-21", "21.0.2");
    environment.put("HYPERSYNC_JAVA_HOME", old.toString());
    assertEquals(
        new Said(
            1,
            "",
            "hypersync: HYPERSYNC_JAVA_HOME is "
                + old
                + ", which is not a JDK 25 or newer (version 21.0.2).\n"
                + "  Set it to the folder of one, or unset it to have one looked for.\n"),
        launcher("jdk"));
  }

  @Test
  void javaHomeIsTakenIfItWillDo() throws Exception {
    jdk("a-25", "25");
    environment.put("JAVA_HOME", jdk("b-26", "26").toString());
    assertTaken(directory.resolve("b-26"));
  }

  @Test
  void javaHomeIsPassedOverIfItIsTooOld() throws Exception {
    Path wanted = jdk("a-25", "25");
    environment.put("JAVA_HOME", jdk("b-17", "17.0.15").toString());
    assertTaken(wanted);
  }

  @Test
  void aFolderWithoutACompilerIsPassedOver() throws Exception {
    Path jre = jdk("a-25-jre", "25");
    Files.delete(jre.resolve("bin/javac"));
    Path wanted = jdk("b-25", "25");
    assertTaken(wanted);
  }

  @Test
  void aFolderWithSpacesIsTaken() throws Exception {
    assertTaken(jdk("my jdk 25", "25.0.1"));
  }

  @Test
  void withoutAnyTheMessageSaysWhatToDoAndWhatWasFound() throws Exception {
    Path jre = jdk("a-25-jre", "25");
    Files.delete(jre.resolve("bin/javac"));
    Path old = jdk("b-17", "17.0.15");
    Said said = launcher("demo");
    assertEquals(1, said.exitCode());
    assertTrue(
        said.err()
            .startsWith(
                """
                hypersync: no JDK 25 or newer was found.
                  Install one (for example: apt-get install temurin-25-jdk, or sdk install java 25-tem),
                  or set HYPERSYNC_JAVA_HOME to the folder of one.
                  Found, but of no use:
                    %s (version 25, without a compiler)
                    %s (version 17.0.15)
                """
                    .formatted(jre, old)),
        said.err());
  }

  @Test
  void helpNeedsNoJdk() throws Exception {
    Said said = launcher("--help");
    assertEquals(0, said.exitCode(), said.err());
    for (String command :
        new String[] {"demo", "init", "token", "leader", "worker", "umount", "status", "log"}) {
      assertTrue(said.out().contains("\n  " + command + " "), "no " + command + " in the usage");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"build", "test", "jdk"})
  void theLaunchersOwnCommandsHaveHelpWithExamplesThatNeedsNoJdkEither(String command)
      throws Exception {
    Said help = launcher(command, "--help");
    assertEquals(0, help.exitCode(), help.err());
    assertTrue(help.out().startsWith("Usage: ./hypersync " + command), help.out());
    int examples = help.out().indexOf("\nExamples:\n");
    assertTrue(
        examples > 0 && help.out().indexOf("./hypersync " + command, examples) > 0,
        "no example of ./hypersync " + command + " in:\n" + help.out());
    assertEquals(help, launcher(command, "-h"));
    assertEquals(help, launcher("help", command));
  }
}
