package io.hypersync.runtime.stages;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/**
 * A histogram of durations for each stage of a mutation, over the last seconds and since the start
 * (hypersync.md 17.1(3)). Not thread-safe: the agent that measures also reads the figures, on its
 * own thread.
 *
 * <p>Only the present window is updated for each measurement; older ones are merged when a window
 * ends. So a measurement costs two increments, with that for metrics, whichever figures are read
 * later.
 *
 * @param <S> the stages, in their order
 */
public final class StageHistograms<S extends Enum<S>> {
  /** Length of a window; "the last seconds" are the present window and the one before. */
  public static final long WINDOW_NS = 5_000_000_000L;

  private static final double NS_PER_US = 1_000;

  private final S whole;
  private final EnumMap<S, Windows> stages;
  private long windowBeganNs;

  /**
   * The figures of one stage: of the present window, of the last one, and of all before; and what
   * is counted for metrics.
   */
  private record Windows(Figures present, Figures last, Figures before, Buckets buckets) {
    Windows() {
      this(new Figures(), new Figures(), new Figures(), Buckets.ofLatencies());
    }

    Figures recent() {
      Figures sum = new Figures();
      sum.add(present);
      sum.add(last);
      return sum;
    }

    Figures sinceStart() {
      Figures sum = recent();
      sum.add(before);
      return sum;
    }
  }

  /**
   * Makes empty histograms.
   *
   * @param type the enum of the stages
   * @param whole the stage that covers all others; the shares refer to its total
   * @param nowNs the time of a monotonic clock, as for all other methods
   */
  public StageHistograms(Class<S> type, S whole, long nowNs) {
    this.whole = whole;
    this.stages = new EnumMap<>(type);
    for (S stage : EnumSet.allOf(type)) {
      stages.put(stage, new Windows());
    }
    this.windowBeganNs = nowNs;
  }

  /** Ends the window if it is over. Call before a measurement of time {@code nowNs} is added. */
  public void advance(long nowNs) {
    long sinceNs = nowNs - windowBeganNs;
    if (sinceNs < WINDOW_NS) {
      return;
    }
    windowBeganNs = nowNs;
    for (Windows windows : stages.values()) {
      windows.before.add(windows.last);
      windows.last.reset();
      // After such a long pause the present window is no longer recent either.
      (sinceNs < 2 * WINDOW_NS ? windows.last : windows.before).add(windows.present);
      windows.present.reset();
    }
  }

  /** Adds the duration of a stage, in nanoseconds; a negative one counts as 0. */
  public void add(S stage, long nanos) {
    Windows windows = windows(stage);
    windows.present.add(Math.max(0, nanos));
    windows.buckets.add(nanos);
  }

  /** How many durations of a stage were added since the start. */
  public long count(S stage) {
    Windows windows = windows(stage);
    return windows.before.count() + windows.last.count() + windows.present.count();
  }

  /** The figures since the start, with the keys of {@code docs/json.md}. */
  public ObjectNode sinceStart() {
    return tree(Windows::sinceStart);
  }

  /**
   * What metrics are made of, by stage: buckets of nanoseconds since the start ({@link
   * Buckets#json}). Takes far less time than {@link #sinceStart}.
   */
  public ObjectNode buckets() {
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    stages.forEach(
        (stage, windows) ->
            tree.set(stage.name().toLowerCase(Locale.ROOT), windows.buckets.json()));
    return tree;
  }

  /** The figures of the last 5 to 10 seconds. */
  public ObjectNode recent(long nowNs) {
    advance(nowNs);
    return tree(Windows::recent);
  }

  /**
   * A percentile of a stage's durations in the last 5 to 10 seconds, in nanoseconds, within 1 %; -1
   * if there was none.
   *
   * @param percentile 0 to 100
   */
  public long recentNs(S stage, double percentile, long nowNs) {
    advance(nowNs);
    Figures figures = windows(stage).recent();
    return figures.count() == 0 ? -1 : figures.nanos.getValueAtPercentile(percentile);
  }

  private Windows windows(S stage) {
    return Objects.requireNonNull(stages.get(stage));
  }

  private ObjectNode tree(Function<Windows, Figures> which) {
    long wholeNs = which.apply(windows(whole)).sumNs;
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    stages.forEach(
        (stage, windows) -> {
          Figures figures = which.apply(windows);
          ObjectNode node = tree.putObject(stage.name().toLowerCase(Locale.ROOT));
          node.put("count", figures.count());
          node.put("us_p50", figures.microseconds(50));
          node.put("us_p95", figures.microseconds(95));
          node.put("us_p99", figures.microseconds(99));
          node.put("us_max", figures.microseconds(100));
          node.put("share", wholeNs == 0 ? 0 : thousandths((double) figures.sumNs / wholeNs));
        });
    return tree;
  }

  private static double thousandths(double value) {
    return Math.round(1_000 * value) / 1_000.0;
  }

  /** Histogram and sum of one stage in one period. */
  private static final class Figures {
    private static final long FINEST_NS = 64;
    private static final long MAX_NS = 600_000_000_000L;
    private static final int DIGITS = 2;

    private final Histogram nanos = new Histogram(FINEST_NS, MAX_NS, DIGITS);

    /** Kept separately: a sum computed from the histogram's buckets would be off by a percent. */
    private long sumNs;

    void add(long value) {
      nanos.recordValue(Math.min(value, MAX_NS));
      sumNs += value;
    }

    void add(Figures other) {
      if (other.count() > 0) {
        nanos.add(other.nanos);
        sumNs += other.sumNs;
      }
    }

    void reset() {
      if (count() > 0) {
        nanos.reset();
        sumNs = 0;
      }
    }

    long count() {
      return nanos.getTotalCount();
    }

    /** A percentile in microseconds, rounded to tenths. */
    double microseconds(double percentile) {
      return Math.round(10 * nanos.getValueAtPercentile(percentile) / NS_PER_US) / 10.0;
    }
  }
}
