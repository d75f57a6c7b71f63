package io.hypersync.runtime.agent;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Has the JVM compile code before it matters, as of vectors, which are slow for seconds until then:
 * once, on a thread of its own, and not before the code is wanted. A daemon that never needs it
 * spends nothing on it.
 */
public final class WarmUp {
  private final AtomicBoolean hasBegun = new AtomicBoolean();
  private final String thread;
  private final Runnable work;

  /**
   * Nothing is done yet.
   *
   * @param thread its name
   * @param work runs the code until it is compiled; may take a second
   */
  public WarmUp(String thread, Runnable work) {
    this.thread = thread;
    this.work = work;
  }

  /** The code is wanted now; begins if this is the first time, and does not wait. */
  public void begin() {
    if (hasBegun.compareAndSet(false, true)) {
      Thread.ofPlatform().name(thread).daemon().start(work);
    }
  }
}
