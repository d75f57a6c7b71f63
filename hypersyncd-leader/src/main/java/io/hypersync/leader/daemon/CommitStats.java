package io.hypersync.leader.daemon;

import io.hypersync.leader.oplog.CommittedBatch;
import org.HdrHistogram.ConcurrentHistogram;

/** Statistics of group commit, for status reports (hypersync.md 6.3.1, telemetry). Thread-safe. */
final class CommitStats {
  private static final long MAX_NS = 60_000_000_000L;
  private static final long NS_PER_US = 1_000;
  private static final int DIGITS = 2;

  private final ConcurrentHistogram latencyNs = new ConcurrentHistogram(MAX_NS, DIGITS);
  private final ConcurrentHistogram ops = new ConcurrentHistogram(1_000_000, DIGITS);
  private final ConcurrentHistogram bytes = new ConcurrentHistogram(1L << 32, DIGITS);

  void add(CommittedBatch batch) {
    latencyNs.recordValue(Math.min(batch.latencyNanos(), MAX_NS));
    ops.recordValue(batch.ops());
    bytes.recordValue(Math.min(batch.payloadBytes(), 1L << 32));
  }

  long latencyUs(double percentile) {
    return latencyNs.getValueAtPercentile(percentile) / NS_PER_US;
  }

  long batches() {
    return ops.getTotalCount();
  }

  long ops(double percentile) {
    return ops.getValueAtPercentile(percentile);
  }

  long bytes(double percentile) {
    return bytes.getValueAtPercentile(percentile);
  }
}
