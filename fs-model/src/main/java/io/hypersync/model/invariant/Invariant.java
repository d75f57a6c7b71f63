package io.hypersync.model.invariant;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A runtime check of an invariant of hypersync.md 22.1 that one comparison can decide. A violation
 * throws {@link AssertionError} if assertions are enabled, as in all tests; in production it is
 * only counted, for {@code status --json}. All methods may be called from any thread.
 */
public final class Invariant {
  /** Entries are written to disk in order of their index, without a gap: 22.1(1). */
  public static final Invariant LOG_GROWS_BY_ONE = new Invariant("log_grows_by_one");

  /** The leader's durable index never decreases: 22.1(1). */
  public static final Invariant DURABLE_INDEX_NEVER_FALLS =
      new Invariant("durable_index_never_falls");

  /**
   * The leader sends an ack only when every entry it depends on is durable: 22.1(3), hypersync.md
   * 6.3.1.
   */
  public static final Invariant ANSWERS_REST_ON_DURABLE_ENTRIES =
      new Invariant("answers_rest_on_durable_entries");

  /** A worker applies entry k+1 directly after entry k: 22.1(2). */
  public static final Invariant APPLY_GROWS_BY_ONE = new Invariant("apply_grows_by_one");

  /** A mutation returns success only when its entry is visible on the caller's mount: 22.1(3). */
  public static final Invariant SUCCESS_IS_VISIBLE = new Invariant("success_is_visible");

  /** A worker accepts no mutation while the leader is unreachable: 22.1(6). */
  public static final Invariant NO_MUTATION_WITHOUT_LEADER =
      new Invariant("no_mutation_without_leader");

  /** An append starts at the end of the file and grows the file by exactly its length: 22.1(7). */
  public static final Invariant APPENDS_DO_NOT_OVERLAP = new Invariant("appends_do_not_overlap");

  /** An orphan is not reaped while any worker has it open: 22.1(8). */
  public static final Invariant OPEN_NODES_ARE_KEPT = new Invariant("open_nodes_are_kept");

  /** Every invariant that this class defines. */
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

  /** The key in {@code status --json}. */
  public String name() {
    return name;
  }

  /**
   * Counts a violation if the invariant does not hold.
   *
   * @param holds whether it holds
   * @throws AssertionError if it does not hold and assertions are enabled
   */
  public void check(boolean holds) {
    if (!holds) {
      long times = broken.incrementAndGet();
      assert times == 0 : "invariant is broken: " + name;
    }
  }

  /** The number of violations in this process. */
  public long broken() {
    return broken.get();
  }
}
