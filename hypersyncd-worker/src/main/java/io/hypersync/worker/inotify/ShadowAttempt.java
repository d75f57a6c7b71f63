package io.hypersync.worker.inotify;

import java.util.HashSet;
import java.util.Set;

/** One attempt at a shadow call, with what the kernel has requested for it so far. Thread-safe. */
public final class ShadowAttempt {
  private final ShadowJob job;
  private final Set<NameInDirectory> lookedUp = new HashSet<>(2);
  private boolean done;

  ShadowAttempt(ShadowJob job) {
    this.job = job;
  }

  public ShadowJob job() {
    return job;
  }

  /** A LOOKUP of this place was answered for this attempt. */
  public synchronized void lookedUp(NameInDirectory place) {
    lookedUp.add(place);
  }

  /**
   * Whether the kernel has looked up every place of the call in this attempt, so that it is about
   * to change what these answers gave it, and nothing that it had cached before.
   */
  public synchronized boolean knowsAllPlaces() {
    return lookedUp.containsAll(job.call().places());
  }

  /** The request that the call is made for has come, and its reply is success. */
  public synchronized void done() {
    done = true;
  }

  synchronized boolean isDone() {
    return done;
  }
}
