package io.hypersync.bench.micro;

import io.hypersync.bench.baseline.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.util.Statistics;

/**
 * Result of one benchmark with one set of parameters. Times are in microseconds.
 *
 * @param subject the suite
 * @param method the benchmark
 * @param params its parameters
 * @param beside the benchmark that is its reference; empty for a reference
 * @param bestUs the 10th percentile, which other load on the machine affects least; of the same
 *     samples as {@code p50Us}
 * @param p50Us the median of single calls if each was timed, else of the iterations' averages
 * @param p99Us the 99th percentile, if each call was timed
 */
public record Figure(
    MicroSuite subject,
    String method,
    Map<String, String> params,
    Optional<String> beside,
    double bestUs,
    double p50Us,
    Optional<Double> p99Us) {
  private static final int BEST = 10;
  private static final int MEDIAN = 50;
  private static final int TAIL = 99;

  /** Copies the parameters, in the order of their names. */
  public Figure {
    params = new TreeMap<>(params);
  }

  static Figure of(MicroSuite subject, RunResult result) {
    BenchmarkParams params = result.getParams();
    String name = params.getBenchmark();
    String method = name.substring(name.lastIndexOf('.') + 1);
    Map<String, String> own = new TreeMap<>();
    params.getParamsKeys().forEach(key -> own.put(key, params.getParam(key)));
    Statistics times = result.getPrimaryResult().getStatistics();
    boolean timedEach = params.getMode() == Mode.SampleTime;
    return new Figure(
        subject,
        method,
        own,
        reference(subject, method),
        times.getPercentile(BEST),
        times.getPercentile(MEDIAN),
        timedEach ? Optional.of(times.getPercentile(TAIL)) : Optional.empty());
  }

  /** Returns the row's name, the same from run to run. */
  public String name() {
    StringBuilder name = new StringBuilder(subject.key() + "." + method);
    params.forEach((key, value) -> name.append(' ').append(key).append('=').append(value));
    return name.toString();
  }

  /**
   * Returns the ratios of figures to their references. The parameters of a reference are a subset
   * of the figure's.
   *
   * @throws IllegalStateException if a reference was not measured
   */
  public static List<Row> rows(List<Figure> figures) {
    List<Row> rows = new ArrayList<>();
    for (Figure figure : figures) {
      if (figure.beside.isPresent()) {
        Figure reference =
            figures.stream()
                .filter(other -> other.isReferenceOf(figure))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(figure.name() + " has no reference"));
        rows.add(new Row(figure.name(), reference.name(), figure.bestUs / reference.bestUs));
      }
    }
    return rows;
  }

  private boolean isReferenceOf(Figure figure) {
    return figure.subject == subject
        && figure.beside.equals(Optional.of(method))
        && figure.params.entrySet().containsAll(params.entrySet());
  }

  private static Optional<String> reference(MicroSuite subject, String method) {
    for (var candidate : subject.benchmarks().getMethods()) {
      Reference beside = candidate.getAnnotation(Reference.class);
      if (candidate.getName().equals(method) && beside != null) {
        return Optional.of(beside.value());
      }
    }
    return Optional.empty();
  }
}
