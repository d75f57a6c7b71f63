package io.hypersync.worker.replica;

import io.hypersync.runtime.stages.RecentPercentile;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * How long entries take from their arrival to processes on the mount: sync_lag_ms of hypersync.md
 * 15.2, without the way over the network, which the leader sees. On the agent's thread.
 */
public final class SyncLag {
  private static final double P95 = 95;
  private static final long NS_PER_US = 1_000;

  /** Those that are not visible yet, in order; as many as may be applied ahead. */
  private final Deque<Waiting> waiting = new ArrayDeque<>();

  private final RecentPercentile lags;

  private record Waiting(long index, long arrivedNs) {}

  /** No entry was seen yet. */
  public SyncLag(long nowNs) {
    this.lags = new RecentPercentile(nowNs);
  }

  /** An entry is applied; it had arrived then. */
  public void applied(long index, long arrivedNs) {
    waiting.addLast(new Waiting(index, arrivedNs));
  }

  /** All entries up to this one are visible. */
  public void visible(long index, long nowNs) {
    while (!waiting.isEmpty() && waiting.getFirst().index <= index) {
      lags.add(nowNs - waiting.removeFirst().arrivedNs, nowNs);
    }
  }

  /** What is shown has jumped: entries that were passed over have no lag. */
  public void forget() {
    waiting.clear();
  }

  /** The 95th percentile of the last seconds, in microseconds; -1 if no entry came. */
  public int p95Us(long nowNs) {
    long ns = lags.at(P95, nowNs);
    return ns < 0 ? -1 : Math.toIntExact(ns / NS_PER_US);
  }
}
