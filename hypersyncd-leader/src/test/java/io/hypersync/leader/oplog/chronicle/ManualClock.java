package io.hypersync.leader.oplog.chronicle;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** A clock that stands still until a test sets it. */
final class ManualClock implements LogClock {
  private final Set<Thread> known = ConcurrentHashMap.newKeySet();
  private final AtomicInteger parks = new AtomicInteger();
  private volatile long now;

  @Override
  public long nanoTime() {
    known.add(Thread.currentThread());
    return now;
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
    synchronized (this) {
      now += nanos;
    }
    known.forEach(LockSupport::unpark);
  }
}
