package io.hypersync.e2e;

import io.hypersync.cli.Main;
import io.hypersync.model.invariant.Invariant;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** How a test starts {@code hypersync}: as another JVM, with this one's flags and class path. */
final class ChildJvm {
  /** What the build gives this JVM for Chronicle, Netty and vectors; a child needs the same. */
  private static final List<String> INHERITED =
      List.of("--add-", "--enable-native-access", "--sun-misc-unsafe-memory-access");

  private ChildJvm() {}

  /** The command line of {@code hypersync <arguments>}. */
  static List<String> command(List<String> arguments) {
    return command(List.of(), arguments);
  }

  /**
   * The command line of {@code hypersync <arguments>}.
   *
   * @param javaOptions of its Java machine, which go over those of all
   */
  static List<String> command(List<String> javaOptions, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // It lives for seconds, in which the second compiler would take more CPU than all that is
    // tested.
    command.addAll(
        List.of(
            "-Xmx384m",
            "-XX:MaxDirectMemorySize=128m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:+ExitOnOutOfMemoryError",
            "-ea:io.hypersync...",
            // It counts, as in production, and Fabric reads its counters.
            "-da:" + Invariant.class.getName()));
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(argument -> INHERITED.stream().anyMatch(argument::startsWith))
        .forEach(command::add);
    command.addAll(javaOptions);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(arguments);
    return command;
  }

  /** What a child finds in its environment. */
  static Map<String, String> environment(Path runDirectory) {
    return Map.of("HYPERSYNC_RUN_DIR", runDirectory.toString());
  }
}
