package io.hypersync.runtime.stages;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Counts values by powers of two, since the start: what a histogram of a monitoring system is made
 * of. A value costs one increment, a reading copies some thirty numbers, so the thread that counts
 * is not held up by who reads. Not thread-safe.
 */
public final class Buckets {
  private final long least;
  private final long[] counts;
  private long sum;

  /**
   * Makes empty buckets. Their upper bounds, which belong to them, are {@code least}, twice as much
   * and so on; the last one takes what is above them.
   *
   * @param least the first bound, from 1 on
   * @param bounds how many bounds there are, 1 to 40
   */
  public Buckets(long least, int bounds) {
    this.least = least;
    this.counts = new long[bounds + 1];
  }

  /**
   * Buckets for durations in nanoseconds, from 16 microseconds to 8.4 seconds: from a call that a
   * fast disk answers to one that somebody is about to give up.
   */
  public static Buckets ofLatencies() {
    return new Buckets(16_000, 20);
  }

  /** Counts a value; a negative one counts as 0. */
  public void add(long value) {
    long known = Math.max(0, value);
    counts[index(known)]++;
    sum += known;
  }

  private int index(long value) {
    // The quotient is rounded up: a bound belongs to the bucket below it.
    long times = (value + least - 1) / least;
    int doublings = times <= 1 ? 0 : Long.SIZE - Long.numberOfLeadingZeros(times - 1);
    return Math.min(doublings, counts.length - 1);
  }

  /**
   * What was counted: {@code least}, {@code counts} by bucket (not added up, the last one without a
   * bound), and {@code sum}.
   */
  public ObjectNode json() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("least", least);
    ArrayNode all = json.putArray("counts");
    for (long count : counts) {
      all.add(count);
    }
    json.put("sum", sum);
    return json;
  }
}
