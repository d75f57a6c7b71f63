package io.hypersync.sim.load;

import io.hypersync.sim.check.history.Directory;
import io.hypersync.sim.check.history.History;
import io.hypersync.sim.check.history.Register;
import io.hypersync.sim.check.history.Verdict;

/** The objects of a history whose calls must have an order: a file, and names in the root. */
public final class Histories {
  private final History<Register.Input, Long> register = new History<>(this::next);
  private final History<Directory.Input, Directory.Output> directory = new History<>(this::next);
  private long events;
  private long values;

  /** Nobody has called. */
  public Histories() {}

  History<Register.Input, Long> register() {
    return register;
  }

  History<Directory.Input, Directory.Output> directory() {
    return directory;
  }

  /** A value that nobody has written before. */
  long newValue() {
    values++;
    return values;
  }

  /**
   * Judges both.
   *
   * @return how many calls are explained
   * @throws io.hypersync.sim.check.Violation if some cannot be
   */
  public long check() {
    long explained = register.check(new Register()) == Verdict.LINEARIZABLE ? register.size() : 0;
    return directory.check(new Directory()) == Verdict.LINEARIZABLE
        ? explained + directory.size()
        : explained;
  }

  private long next() {
    events++;
    return events;
  }
}
