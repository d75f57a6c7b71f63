package io.hypersync.model.invariant;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An invariant of hypersync.md 22.1 that costs a comparison to look at. One that is broken is an
 * {@link AssertionError} where assertions are on, as in all tests; everywhere else it is counted,
 * for {@code status --json}.
 */
public final class Invariant {
  /** Entries come to the disk one by one, without a gap: 22.1(1). */
  public static final Invariant LOG_GROWS_BY_ONE = new Invariant("log_grows_by_one");

  /** What was durable stays so: 22.1(1). */
  public static final Invariant DURABLE_INDEX_NEVER_FALLS =
      new Invariant("durable_index_never_falls");

  /** An answer leaves the leader when what it rests on is durable: 22.1(3), hypersync.md 6.3.1. */
  public static final Invariant ANSWERS_REST_ON_DURABLE_ENTRIES =
      new Invariant("answers_rest_on_durable_entries");

  /** A worker applies entry k and then entry k + 1: 22.1(2). */
  public static final Invariant APPLY_GROWS_BY_ONE = new Invariant("apply_grows_by_one");

  /** A caller is told of success when the entry is visible where it called: 22.1(3). */
  public static final Invariant SUCCESS_IS_VISIBLE = new Invariant("success_is_visible");

  /** No mutation is taken while the leader is out of touch: 22.1(6). */
  public static final Invariant NO_MUTATION_WITHOUT_LEADER =
      new Invariant("no_mutation_without_leader");

  /** An append begins where the file ends, and makes it longer by what it brings: 22.1(7). */
  public static final Invariant APPENDS_DO_NOT_OVERLAP = new Invariant("appends_do_not_overlap");

  /** Nothing is reaped that a worker has open: 22.1(8). */
  public static final Invariant OPEN_NODES_ARE_KEPT = new Invariant("open_nodes_are_kept");

  /** All of them. */
  public static final List<Invariant> ALL =
      List.of(
          LOG_GROWS_BY_ONE,
          DURABLE_INDEX_NEVER_FALLS,
          ANSWERS_REST_ON_DURABLE_ENTRIES,
          APPLY_GROWS_BY_ONE,
          SUCCESS_IS_VISIBLE,
          NO_MUTATION_WITHOUT_LEADER,
          APPENDS_DO_NOT_OVERLAP,
          OPEN_NODES_ARE_KEPT);

  private final String name;
  private final AtomicLong broken = new AtomicLong();

  Invariant(String name) {
    this.name = name;
  }

  /** What it is called in {@code status --json}. */
  public String name() {
    return name;
  }

  /**
   * Looks at it. Any thread may.
   *
   * @param holds whether it does
   * @throws AssertionError if it does not, and assertions are on
   */
  public void check(boolean holds) {
    if (!holds) {
      long times = broken.incrementAndGet();
      assert times == 0 : "invariant is broken: " + name;
    }
  }

  /** How often it was broken in this process. */
  public long broken() {
    return broken.get();
  }
}
