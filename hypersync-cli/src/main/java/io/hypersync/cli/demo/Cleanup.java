package io.hypersync.cli.demo;

import io.hypersync.wire.file.FileProblems;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What must be undone, whatever happens: the last first, each at most once, and one that fails does
 * not keep the others from being done. Runs at the end, or in a shutdown hook at Ctrl-C.
 */
public final class Cleanup implements AutoCloseable {
  private final Deque<Step> steps = new ArrayDeque<>();
  private final Narrator narrator;
  private volatile boolean begun;

  private record Step(String what, Action action) {}

  /** One thing to undo. */
  @FunctionalInterface
  public interface Action {
    /** Undoes it. */
    void run() throws Exception;
  }

  /** Nothing to undo yet. */
  public Cleanup(Narrator narrator) {
    this.narrator = narrator;
  }

  /**
   * Remembers what has to be undone.
   *
   * @param what completes "could not ..."
   * @throws IllegalStateException if the end has begun: nothing new must be started then
   */
  public synchronized void add(String what, Action action) {
    if (begun) {
      throw new IllegalStateException("it is being ended");
    }
    steps.push(new Step(what, action));
  }

  /** Whether the end has begun. */
  boolean hasBegun() {
    return begun;
  }

  /** Leaves everything as it is. */
  synchronized void forget() {
    steps.clear();
  }

  /** As {@link #undo}. */
  @Override
  public void close() {
    undo();
  }

  /** Undoes everything. A second call waits until the first is through. */
  public synchronized void undo() {
    begun = true;
    if (!steps.isEmpty()) {
      narrator.say("cleaning up");
    }
    while (!steps.isEmpty()) {
      Step step = steps.pop();
      try {
        step.action().run();
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      } catch (Exception failure) {
        narrator.say("could not %s: %s", step.what(), FileProblems.describe(failure));
      }
    }
  }
}
