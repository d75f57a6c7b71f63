package io.hypersync.sim.load;

import io.hypersync.sim.check.history.Directory;
import io.hypersync.sim.check.history.History;
import io.hypersync.sim.check.history.Register;
import io.hypersync.sim.check.history.Verdict;

/**
 * The two objects of a history whose calls are checked for linearizability: the content of a file,
 * and some names in the root directory.
 */
public final class Histories {
  private final History<Register.Input, Long> register = new History<>(this::next);
  private final History<Directory.Input, Directory.Output> directory = new History<>(this::next);
  private long events;
  private long values;

  public Histories() {}

  History<Register.Input, Long> register() {
    return register;
  }

  History<Directory.Input, Directory.Output> directory() {
    return directory;
  }

  /** A value that was not written before. */
  long newValue() {
    values++;
    return values;
  }

  /**
   * Checks both objects.
   *
   * @return the number of calls for which a linearization was found; calls of an undecided check do
   *     not count
   * @throws io.hypersync.sim.check.Violation if the calls are not linearizable
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
