package io.hypersync.worker.inotify;

import java.util.HashSet;
import java.util.Set;

/** One try of a shadow call, as far as the kernel's requests have told of it. Thread-safe. */
public final class ShadowAttempt {
  private final ShadowJob job;
  private final Set<Place> lookedUp = new HashSet<>(2);
  private boolean done;

  ShadowAttempt(ShadowJob job) {
    this.job = job;
  }

  /** What is being tried. */
  public ShadowJob job() {
    return job;
  }

  /** The kernel has been told what this name leads to. */
  public synchronized void lookedUp(Place place) {
    lookedUp.add(place);
  }

  /**
   * Whether the kernel is about to change what it was told of here, at every place of the call, and
   * nothing that it had in its cache.
   */
  public synchronized boolean knowsAllPlaces() {
    return lookedUp.containsAll(job.call().places());
  }

  /** The request that the call is made for has come, and is answered as done. */
  public synchronized void done() {
    done = true;
  }

  synchronized boolean isDone() {
    return done;
  }
}
