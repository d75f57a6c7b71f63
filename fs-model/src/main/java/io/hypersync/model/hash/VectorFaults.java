package io.hypersync.model.hash;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Registry of vector hashes that differed from scalar ones, which means a fault of the compiler,
 * the processor or the memory. After the first fault, no code in this process hashes with vectors
 * any more. Thread-safe.
 */
public final class VectorFaults {
  private final List<Runnable> users = new ArrayList<>();
  private final List<Consumer<String>> listeners = new ArrayList<>();
  private long count;
  private @Nullable String first;

  VectorFaults() {}

  /**
   * The number of faults found; at most 1 for each vector implementation, since a faulty one is not
   * tried again.
   */
  public synchronized long count() {
    return count;
  }

  /**
   * Registers a listener for the first fault. It is called once, with a log line, from the thread
   * that finds the fault, or from this one if there has been a fault already. The listener must not
   * block.
   */
  public void listen(Consumer<String> listener) {
    String found;
    synchronized (this) {
      listeners.add(listener);
      found = first;
    }
    if (found != null) {
      listener.accept(found);
    }
  }

  /** Registers an action that stops the use of vectors, to be run at every fault. */
  synchronized void use(Runnable switchOff) {
    users.add(switchOff);
  }

  synchronized boolean any() {
    return count > 0;
  }

  void report(String what) {
    List<Consumer<String>> told = List.of();
    synchronized (this) {
      count++;
      users.forEach(Runnable::run);
      if (first == null) {
        first = what;
        told = List.copyOf(listeners);
      }
    }
    told.forEach(listener -> listener.accept(what));
  }
}
