package io.hypersync.cli.practice;

import java.util.ArrayDeque;

/**
 * What is to be done in a later turn of the practice's one thread: it is the event loop of both.
 */
final class Turns {
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

  /** Has this run in a later turn. */
  void later(Runnable task) {
    tasks.add(task);
  }

  /** Runs what was there when this was called; returns how much that was. */
  int run() {
    int count = tasks.size();
    for (int i = 0; i < count; i++) {
      tasks.remove().run();
    }
    return count;
  }
}
