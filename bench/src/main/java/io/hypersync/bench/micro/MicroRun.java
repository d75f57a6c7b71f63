package io.hypersync.bench.micro;

import io.hypersync.cli.demo.Narrator;
import io.hypersync.runtime.admin.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Runs the JMH suites, each benchmark in a process of its own with the JVM options of daemons.
 * Suites that mount need root.
 */
public final class MicroRun {
  /** The system property with the JVM options of daemons, one per line. */
  private static final String DAEMON_OPTIONS = "hypersync.bench.daemon.options";

  private static final int ITERATIONS = 5;
  private static final double MS_PER_S = 1000;
  private static final int TOLD_LINES = 40;

  private final Narrator narrator;
  private final Path folder;
  private final double seconds;

  /**
   * Creates a run; nothing is started yet.
   *
   * @param folder directory for the benchmarks' files, on the disk to measure, and for JMH's output
   * @param seconds how long to measure each figure
   */
  public MicroRun(Narrator narrator, Path folder, double seconds) {
    this.narrator = narrator;
    this.folder = folder;
    this.seconds = seconds;
  }

  /**
   * Runs all benchmarks of these subjects.
   *
   * @throws UserError with the end of JMH's output if a benchmark fails
   */
  public List<Figure> run(List<MicroSuite> subjects) {
    // Do not wait for another run of JMH on this machine: it is like any other load, and the report
    // contains the load.
    System.setProperty("jmh.ignoreLock", "true");
    List<Figure> figures = new ArrayList<>();
    for (MicroSuite subject : subjects) {
      narrator.say("%s", subject.key());
      Path log = folder.resolve(subject.key() + ".log");
      ChainedOptionsBuilder options =
          ofAll(subject)
              .jvmArgs(forkOptions().toArray(String[]::new))
              .measurementIterations(ITERATIONS)
              .measurementTime(TimeValue.milliseconds((long) (seconds * MS_PER_S / ITERATIONS)))
              .output(log.toString());
      for (Figure figure : run(subject, options, log)) {
        figures.add(figure);
        narrator.say(
            "  %s: p50 %s us", figure.name(), String.format(Locale.ROOT, "%.2f", figure.p50Us()));
      }
    }
    return figures;
  }

  /** Selects all benchmarks of a subject; a failing one ends the run. */
  static ChainedOptionsBuilder ofAll(MicroSuite subject) {
    return new OptionsBuilder()
        .include("^" + subject.benchmarks().getName().replace(".", "\\.") + "\\.")
        .shouldFailOnError(true);
  }

  /** Runs the benchmarks of a subject with these options. */
  static List<Figure> figures(MicroSuite subject, ChainedOptionsBuilder options)
      throws RunnerException {
    return new Runner(options.build())
        .run().stream().map(result -> Figure.of(subject, result)).toList();
  }

  private static List<Figure> run(MicroSuite subject, ChainedOptionsBuilder options, Path log) {
    try {
      return figures(subject, options);
    } catch (RunnerException failure) {
      throw new UserError(
          "the benchmarks of " + subject.key() + " failed: " + failure.getMessage(), tail(log));
    }
  }

  private List<String> forkOptions() {
    List<String> options = new ArrayList<>(System.getProperty(DAEMON_OPTIONS, "").lines().toList());
    // The leader and up to 16 workers share one process here.
    options.addAll(List.of("-Xms256m", "-Xmx1g"));
    options.add("-D" + Scratch.PARENT + "=" + folder);
    return options;
  }

  private static String tail(Path log) {
    try {
      List<String> lines = Files.readAllLines(log);
      return String.join("\n", lines.subList(Math.max(0, lines.size() - TOLD_LINES), lines.size()));
    } catch (IOException unreadable) {
      return "";
    }
  }
}
