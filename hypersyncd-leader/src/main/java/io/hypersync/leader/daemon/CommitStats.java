package io.hypersync.leader.daemon;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.leader.oplog.CommittedBatch;
import io.hypersync.runtime.stages.Buckets;
import org.HdrHistogram.ConcurrentHistogram;

/** Statistics of group commit, for status reports (hypersync.md 6.3.1, telemetry). Thread-safe. */
final class CommitStats {
  private static final long MAX_NS = 60_000_000_000L;
  private static final long NS_PER_US = 1_000;
  private static final int DIGITS = 2;
  private static final double P50 = 50;
  private static final double P99 = 99;

  private final ConcurrentHistogram latencyNs = new ConcurrentHistogram(MAX_NS, DIGITS);
  private final ConcurrentHistogram ops = new ConcurrentHistogram(1_000_000, DIGITS);
  private final ConcurrentHistogram bytes = new ConcurrentHistogram(1L << 32, DIGITS);

  /** The same for metrics; guarded by themselves. */
  private final Buckets latencyBuckets = Buckets.ofLatencies();

  private final Buckets opsBuckets = new Buckets(1, 11);
  private final Buckets bytesBuckets = new Buckets(1_024, 13);

  void add(CommittedBatch batch) {
    latencyNs.recordValue(Math.min(batch.latencyNanos(), MAX_NS));
    ops.recordValue(batch.ops());
    bytes.recordValue(Math.min(batch.payloadBytes(), 1L << 32));
    // One lock a batch, which only a reading shares, for as long as it copies fifty numbers.
    synchronized (latencyBuckets) {
      latencyBuckets.add(batch.latencyNanos());
      opsBuckets.add(batch.ops());
      bytesBuckets.add(batch.payloadBytes());
    }
  }

  /** What metrics are made of ({@link Buckets#json}); latencies in nanoseconds. */
  ObjectNode buckets() {
    synchronized (latencyBuckets) {
      ObjectNode tree = JsonNodeFactory.instance.objectNode();
      tree.set("latency", latencyBuckets.json());
      tree.set("ops", opsBuckets.json());
      tree.set("bytes", bytesBuckets.json());
      return tree;
    }
  }

  /** Percentiles since the start, with the keys of {@code docs/json.md}. */
  ObjectNode percentiles() {
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    tree.put("count", batches());
    tree.put("ops_p50", ops(P50));
    tree.put("ops_p99", ops(P99));
    tree.put("bytes_p50", bytes(P50));
    tree.put("bytes_p99", bytes(P99));
    return tree;
  }

  long latencyUs(double percentile) {
    return latencyNs.getValueAtPercentile(percentile) / NS_PER_US;
  }

  private long batches() {
    return ops.getTotalCount();
  }

  private long ops(double percentile) {
    return ops.getValueAtPercentile(percentile);
  }

  private long bytes(double percentile) {
    return bytes.getValueAtPercentile(percentile);
  }
}
