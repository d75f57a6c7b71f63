package io.hypersync.e2e.harness;

import io.hypersync.cli.Main;
import io.hypersync.model.invariant.Invariant;
import io.hypersync.raptorq.OctetRows;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Command lines that run {@code hypersync} in another JVM, with this JVM's flags and class path.
 */
public final class ChildJvm {
  /**
   * Flags that the build gives this JVM for Chronicle, Netty and vectors; a child needs the same.
   */
  private static final List<String> INHERITED =
      List.of("--add-", "--enable-native-access", "--sun-misc-unsafe-memory-access");

  private ChildJvm() {}

  /** The command line of {@code hypersync <arguments>}. */
  public static List<String> command(List<String> arguments) {
    return command(List.of(), arguments);
  }

  /**
   * The command line of {@code hypersync <arguments>}.
   *
   * @param javaOptions options of the child JVM, which override the common ones
   */
  static List<String> command(List<String> javaOptions, List<String> arguments) {
    ChildClasses classes = ChildClasses.shared();
    List<String> options = new ArrayList<>(classes.options());
    options.addAll(javaOptions);
    List<String> command = new ArrayList<>(java(options));
    command.addAll(List.of("-cp", classes.classPath(), Main.class.getName()));
    command.addAll(arguments);
    return command;
  }

  /**
   * The command line of a JVM, without the class path and the class.
   *
   * @param options which override the common ones
   */
  static List<String> java(List<String> options) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // It lives for seconds only, in which the C2 compiler would take more CPU time than the tested
    // code.
    command.addAll(
        List.of(
            "-Xmx384m",
            "-XX:MaxDirectMemorySize=128m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            // Which is also the one that compiles vectors: without it they take a hundred times as
            // long as scalar code, and a worker asks for every chunk before its symbols are made.
            "-D" + OctetRows.FORCE_SCALAR + "=true",
            "-XX:+ExitOnOutOfMemoryError",
            "-ea:io.hypersync...",
            // Invariants are counted, not asserted, as in production; TestCluster reads the
            // counters.
            "-da:" + Invariant.class.getName()));
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(argument -> INHERITED.stream().anyMatch(argument::startsWith))
        .forEach(command::add);
    command.addAll(options);
    return command;
  }

  /** Environment variables of a child. */
  public static Map<String, String> environment(Path runDirectory) {
    return Map.of("HYPERSYNC_RUN_DIR", runDirectory.toString());
  }
}
