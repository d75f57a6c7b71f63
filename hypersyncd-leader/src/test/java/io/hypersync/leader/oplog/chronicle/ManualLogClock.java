package io.hypersync.leader.oplog.chronicle;

import io.hypersync.fixtures.ManualClock;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** A log's clock that stands still until a test moves it on; whoever waits then looks again. */
final class ManualLogClock implements LogClock {
  private final ManualClock time = new ManualClock();
  private final Set<Thread> known = ConcurrentHashMap.newKeySet();
  private final AtomicInteger parks = new AtomicInteger();

  @Override
  public long nanoTime() {
    known.add(Thread.currentThread());
    return time.monotonicNs();
  }

  @Override
  public void park(Object blocker, long nanos) {
    parks.incrementAndGet();
    LockSupport.park(blocker);
  }

  /** How often a thread has waited for time to pass. */
  int parks() {
    return parks.get();
  }

  /** Advances the time and wakes waiting threads. */
  void advance(long nanos) {
    time.advance(nanos);
    known.forEach(LockSupport::unpark);
  }
}
