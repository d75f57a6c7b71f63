package io.hypersync.cli.metrics;

import com.fasterxml.jackson.databind.JsonNode;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Exemplars;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.Quantile;
import io.prometheus.metrics.model.snapshots.Quantiles;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import io.prometheus.metrics.model.snapshots.SummarySnapshot.SummaryDataPointSnapshot;
import java.util.ArrayList;
import java.util.List;

/** The values of one metric, as they are found. What is not there or {@code null} has none. */
final class MetricPoints {
  private static final double MEDIAN = 0.5;
  private static final double HIGH = 0.99;

  private final MetricRow row;
  private final List<CounterDataPointSnapshot> counters = new ArrayList<>();
  private final List<GaugeDataPointSnapshot> gauges = new ArrayList<>();
  private final List<HistogramDataPointSnapshot> histograms = new ArrayList<>();
  private final List<SummaryDataPointSnapshot> summaries = new ArrayList<>();

  MetricPoints(MetricRow row) {
    this.row = row;
  }

  /** Adds what an object has under a key. */
  void add(Labels labels, JsonNode parent, String key) {
    switch (row.kind()) {
      case COUNTER, GAUGE -> {
        JsonNode value = parent.path(key);
        if (value.isNumber()) {
          add(labels, value.asDouble());
        } else if (value.isBoolean()) {
          add(labels, value.asBoolean() ? 1 : 0);
        }
      }
      case HISTOGRAM -> {
        JsonNode buckets = parent.path(key);
        if (buckets.path("counts").isArray()) {
          histograms.add(histogram(labels, buckets));
        }
      }
      case SUMMARY -> {
        JsonNode median = parent.path(key + "_p50");
        JsonNode high = parent.path(key + "_p99");
        if (median.isNumber() && high.isNumber()) {
          summaries.add(
              SummaryDataPointSnapshot.builder()
                  .labels(labels)
                  .quantiles(
                      Quantiles.of(
                          new Quantile(MEDIAN, median.asDouble() * row.scale()),
                          new Quantile(HIGH, high.asDouble() * row.scale())))
                  .build());
        }
      }
    }
  }

  /** Adds a value of a counter or a gauge, in the unit of the status. */
  void add(Labels labels, double value) {
    if (row.kind() == MetricRow.Kind.COUNTER) {
      counters.add(new CounterDataPointSnapshot(value * row.scale(), labels, null, 0));
    } else {
      gauges.add(new GaugeDataPointSnapshot(value * row.scale(), labels, null));
    }
  }

  /** The bounds double from {@code least} on, in the unit of the metric. */
  private HistogramDataPointSnapshot histogram(Labels labels, JsonNode buckets) {
    JsonNode counts = buckets.path("counts");
    double[] bounds = new double[counts.size()];
    long[] known = new long[counts.size()];
    long bound = buckets.path("least").asLong();
    for (int i = 0; i < known.length; i++) {
      // Divided by a whole number where there is one: 0.000128 and not 0.00012800000000000002.
      bounds[i] = row.scale() < 1 ? bound / Math.rint(1 / row.scale()) : bound * row.scale();
      known[i] = counts.get(i).asLong();
      bound *= 2;
    }
    bounds[known.length - 1] = Double.POSITIVE_INFINITY;
    return new HistogramDataPointSnapshot(
        ClassicHistogramBuckets.of(bounds, known),
        buckets.path("sum").asDouble() * row.scale(),
        labels,
        Exemplars.EMPTY,
        0);
  }

  /** Adds the metric to a list, if it has a value. */
  void addTo(List<MetricSnapshot> all, MetricMetadata metadata) {
    if (!counters.isEmpty()) {
      all.add(new CounterSnapshot(metadata, counters));
    } else if (!gauges.isEmpty()) {
      all.add(new GaugeSnapshot(metadata, gauges));
    } else if (!histograms.isEmpty()) {
      all.add(new HistogramSnapshot(metadata, histograms));
    } else if (!summaries.isEmpty()) {
      all.add(new SummarySnapshot(metadata, summaries));
    }
  }
}
