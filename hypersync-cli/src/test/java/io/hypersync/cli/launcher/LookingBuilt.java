package io.hypersync.cli.launcher;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;

/** A copy of the launcher in a tree that looks built, with a JDK whose programs are scripts. */
final class LookingBuilt {
  private static final String[] MODULES = {
    "fs-model",
    "chunkstore",
    "raptorq",
    "runtime",
    "coordination",
    "snapshots",
    "wire",
    "hypersyncd-leader",
    "hypersyncd-worker",
    "hypersync-cli"
  };

  private Path directory = Path.of("");

  /** Makes it. */
  void in(Path where) throws IOException {
    directory = where;
    Files.createDirectories(root());
    Files.copy(Launcher.OURS, launcher());
    Files.createDirectory(root().resolve("etc"));
    Files.copy(
        Launcher.OURS.resolveSibling("etc").resolve("jvm-options"),
        root().resolve("etc").resolve("jvm-options"));
    write(root().resolve("pom.xml"), "");
    for (String module : MODULES) {
      write(root().resolve(module).resolve("pom.xml"), "");
    }
    write(target().resolve("hypersync-cli.jar"), "");
    write(target().resolve("hypersync.jvm.args"), "");
    write(target().resolve("hypersync.stamp"), "");
    Files.setLastModifiedTime(
        target().resolve("hypersync.stamp"), FileTime.from(Instant.now().plusSeconds(10)));
    write(jdk().resolve("release"), "JAVA_VERSION=\"25.0.3\"\n");
    java("#!/bin/sh\n");
    executable(jdk().resolve("bin/javac"), "#!/bin/sh\n");
  }

  Path root() {
    return directory.resolve("the R&D tree");
  }

  Path launcher() {
    return root().resolve("hypersync");
  }

  Path target() {
    return root().resolve("hypersync-cli").resolve("target");
  }

  Path jdk() {
    return directory.resolve("jdk 25");
  }

  /** Sets what the JVM does. */
  void java(String script) throws IOException {
    executable(jdk().resolve("bin/java"), script);
  }

  private static void executable(Path file, String script) throws IOException {
    write(file, script);
    assertTrue(file.toFile().setExecutable(true));
  }

  static void write(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }
}
