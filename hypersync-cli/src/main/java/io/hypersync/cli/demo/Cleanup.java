package io.hypersync.cli.demo;

import io.hypersync.runtime.file.FileProblems;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Steps that must be undone at the end: in reverse order, each at most once; a step that fails does
 * not keep the others from running. Runs at the end of the command, or in a shutdown hook at
 * Ctrl-C. Thread-safe.
 */
public final class Cleanup implements AutoCloseable {
  private final Deque<Step> steps = new ArrayDeque<>();
  private final Narrator narrator;
  private volatile boolean begun;

  private record Step(String what, Action action) {}

  /** Undoes one step. */
  @FunctionalInterface
  public interface Action {
    void run() throws Exception;
  }

  /**
   * Starts empty.
   *
   * @param narrator reports the cleanup and its failures
   */
  public Cleanup(Narrator narrator) {
    this.narrator = narrator;
  }

  /**
   * Adds a step to undo.
   *
   * @param what completes "could not ..."
   * @throws IllegalStateException if undoing has begun: nothing new may be started then
   */
  public synchronized void add(String what, Action action) {
    if (begun) {
      throw new IllegalStateException("it is being ended");
    }
    steps.push(new Step(what, action));
  }

  /** Whether undoing has begun. */
  boolean hasBegun() {
    return begun;
  }

  /** Drops all steps without running them. */
  synchronized void forget() {
    steps.clear();
  }

  /** The same as {@link #undo}. */
  @Override
  public void close() {
    undo();
  }

  /** Undoes everything. A concurrent second call blocks until the first has finished. */
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
