package io.hypersync.model.hash;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Hashes by vectors that differed from those by scalar code: a fault of the compiler, the processor
 * or the memory. From the first one on nothing is hashed by vectors any more, as long as the
 * process lives. Any thread.
 */
public final class VectorFaults {
  private final List<Runnable> users = new ArrayList<>();
  private final List<Consumer<String>> listeners = new ArrayList<>();
  private long count;
  private @Nullable String first;

  VectorFaults() {}

  /** How many were found; 0 or 1 for each way to use vectors, since none is tried again. */
  public synchronized long count() {
    return count;
  }

  /**
   * Tells of the first fault, once, in the words of a log line; at once if it has been found
   * already. The listener must not block.
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

  /** Called when vectors must not be used any more. */
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
