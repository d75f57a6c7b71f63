package io.hypersync.bench.micro;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.bench.baseline.Row;
import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.config.ConfigurationReader;
import io.hypersync.cli.config.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.TimeValue;

@DisplayName("A JMH suite")
final class MicroTest {
  @TempDir private Path folder;

  /** Runs each benchmark once, in this process, too briefly to measure anything. */
  @ParameterizedTest
  @EnumSource(MicroSuite.class)
  @DisplayName("runs, has a reference for all that is none, and leaves nothing behind")
  @Tag("slow")
  void runs(MicroSuite subject) throws RunnerException, IOException {
    System.setProperty("jmh.ignoreLock", "true");
    System.setProperty(Scratch.PARENT, folder.toString());
    Path log = folder.resolve("log");
    List<Figure> figures;
    try {
      figures =
          MicroRun.figures(
              subject,
              MicroRun.ofAll(subject)
                  .forks(0)
                  .warmupIterations(0)
                  .measurementIterations(1)
                  .measurementTime(TimeValue.milliseconds(5))
                  .param("batch", "64")
                  .param("bytes", "1024")
                  .param("files", "20")
                  .param("others", "1")
                  .param("policy", "KEPT")
                  .param("readers", "1")
                  .param("workers", "2")
                  .output(log.toString()));
    } finally {
      System.clearProperty(Scratch.PARENT);
    }
    List<String> methods =
        Arrays.stream(subject.benchmarks().getMethods())
            .filter(method -> method.isAnnotationPresent(Benchmark.class))
            .map(method -> method.getName())
            .sorted()
            .toList();
    assertEquals(methods, figures.stream().map(Figure::method).distinct().sorted().toList());
    figures.forEach(figure -> assertTrue(figure.bestUs() > 0, figure::toString));
    assertTrue(Figure.rows(figures).size() >= 1, "at least one is not a reference");
    try (Stream<Path> left = Files.list(folder)) {
      assertEquals(List.of(log), left.toList());
    }
  }

  @Test
  @DisplayName("has no two policies for a mount that are the same with the product's defaults")
  void policies() {
    Map<FuseCrossingBenchmark.Policy, List<Boolean>> promises =
        new EnumMap<>(FuseCrossingBenchmark.Policy.class);
    for (FuseCrossingBenchmark.Policy policy : FuseCrossingBenchmark.Policy.values()) {
      ConfigurationReader reader = new ConfigurationReader();
      reader.assignment("--set", policy.setting());
      Configuration chosen = reader.withoutFile();
      promises.put(
          policy,
          List.of(
              chosen.get(Settings.WORKER_STRICT_OPEN),
              chosen.get(Settings.WORKER_KERNEL_CACHE),
              chosen.get(Settings.WORKER_STRICT_READS)));
    }
    assertEquals(
        Map.of(
            FuseCrossingBenchmark.Policy.KEPT, List.of(false, true, false),
            FuseCrossingBenchmark.Policy.STRICT_OPEN, List.of(true, true, false),
            FuseCrossingBenchmark.Policy.NOTHING_KEPT, List.of(true, false, false),
            FuseCrossingBenchmark.Policy.STRICT_READS, List.of(true, true, true)),
        promises);
  }

  @Test
  @DisplayName("compares a figure with the reference of the same parameters, as far as it has them")
  void references() {
    List<Figure> figures =
        List.of(
            figure("codec", Map.of("bytes", "64"), "", 2),
            figure("codec", Map.of("bytes", "4096"), "", 30),
            figure("ours", Map.of("bytes", "64", "lanes", "8"), "codec", 1),
            figure("ours", Map.of("bytes", "4096", "lanes", "8"), "codec", 3),
            figure("disk", Map.of(), "", 50),
            figure("put", Map.of("bytes", "64"), "disk", 100));
    assertEquals(
        List.of(
            new Row("blake3.ours bytes=64 lanes=8", "blake3.codec bytes=64", 0.5),
            new Row("blake3.ours bytes=4096 lanes=8", "blake3.codec bytes=4096", 0.1),
            new Row("blake3.put bytes=64", "blake3.disk", 2)),
        Figure.rows(figures));
  }

  @Test
  @DisplayName("refuses a figure whose reference was not measured")
  void noReference() {
    List<Figure> figures =
        List.of(
            figure("codec", Map.of("bytes", "64"), "", 2),
            figure("ours", Map.of("bytes", "4096"), "codec", 3));
    assertThrows(IllegalStateException.class, () -> Figure.rows(figures));
  }

  private static Figure figure(
      String method, Map<String, String> params, String beside, double bestUs) {
    return new Figure(
        MicroSuite.BLAKE3,
        method,
        params,
        Optional.of(beside).filter(name -> !name.isEmpty()),
        bestUs,
        2 * bestUs + 1,
        Optional.empty());
  }
}
