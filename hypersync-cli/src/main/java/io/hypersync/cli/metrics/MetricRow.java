package io.hypersync.cli.metrics;

import java.util.Locale;

/**
 * One metric: where its value is in a daemon's measured status, and what it is called.
 *
 * @param part which daemons have it
 * @param kind what Prometheus takes it for
 * @param shape where its values are, and which label tells them apart
 * @param path keys of the status with dots between them; of an element for {@link Shape#WORKERS}
 * @param label the label's name; empty if there is none
 * @param scale what a value of the status is multiplied with to have the unit of the name
 * @param shortName the name behind {@code hypersync_<part>_}, without {@code _total}
 * @param help what it is, in one sentence
 */
record MetricRow(
    Part part,
    Kind kind,
    Shape shape,
    String path,
    String label,
    double scale,
    String shortName,
    String help) {
  static final double NANOSECONDS = 1e-9;
  static final double MICROSECONDS = 1e-6;
  static final double MILLISECONDS = 1e-3;
  static final double PERCENT = 1e-2;

  /** Which daemons have a metric. */
  enum Part {
    LEADER,
    /** Of a standby, too: it is a worker that mounts nothing. */
    WORKER,
    STANDBY;

    boolean isOf(String role) {
      return role.equals(text()) || (this == WORKER && role.equals(STANDBY.text()));
    }

    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** What Prometheus takes a metric for. */
  enum Kind {
    COUNTER,
    GAUGE,
    HISTOGRAM,
    /** Medians and 99th percentiles, under {@code <path>_p50} and {@code <path>_p99}. */
    SUMMARY;

    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Where values are. */
  enum Shape {
    /** One number or boolean at the path. */
    ONE,
    /** The keys of the object at the path are the values of the label. */
    KEYS,
    /** One for each connected worker of a leader. */
    WORKERS,
    /** 1 if there is something at the path, 0 if it is {@code null}. */
    PRESENCE,
    /** The elements of the array at the path, counted by their field that the label names. */
    COUNTED
  }

  static MetricRow counter(Part part, String path, String name, String help) {
    return new MetricRow(part, Kind.COUNTER, Shape.ONE, path, "", 1, name, help);
  }

  static MetricRow gauge(Part part, String path, String name, String help) {
    return new MetricRow(part, Kind.GAUGE, Shape.ONE, path, "", 1, name, help);
  }

  static MetricRow histogram(Part part, String path, String name, String help) {
    return new MetricRow(part, Kind.HISTOGRAM, Shape.ONE, path, "", 1, name, help);
  }

  static MetricRow summary(Part part, String path, String name, String help) {
    return new MetricRow(part, Kind.SUMMARY, Shape.ONE, path, "", 1, name, help);
  }

  MetricRow times(double factor) {
    return new MetricRow(part, kind, shape, path, label, factor, shortName, help);
  }

  MetricRow by(String name) {
    return shaped(Shape.KEYS, name);
  }

  MetricRow ofEachWorker() {
    return shaped(Shape.WORKERS, "worker");
  }

  MetricRow whetherPresent() {
    return shaped(Shape.PRESENCE, "");
  }

  MetricRow countedBy(String field) {
    return shaped(Shape.COUNTED, field);
  }

  private MetricRow shaped(Shape other, String name) {
    return new MetricRow(part, kind, other, path, name, scale, shortName, help);
  }

  /** The name without {@code _total}. */
  String familyName() {
    return "hypersync_" + part.text() + '_' + shortName;
  }

  /** The name by which it is asked for; that of a histogram has suffixes of its own, too. */
  String fullName() {
    return kind == Kind.COUNTER ? familyName() + "_total" : familyName();
  }
}
