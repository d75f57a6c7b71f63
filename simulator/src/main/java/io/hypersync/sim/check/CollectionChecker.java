package io.hypersync.sim.check;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Judges up to which entry one run of the leader says that chunks may be gone (hypersync.md 14.2).
 * It knows what the leader has sent and received, and what is in the catalog, and asks none of the
 * leader's own tables. The mark is
 *
 * <ul>
 *   <li>not newer than the newest snapshot, which the next start begins with;
 *   <li>not newer than what a connected worker shows to processes, unless its Welcome has told it
 *       that chunks of such states may be gone;
 *   <li>not newer than a snapshot that a worker installs;
 *   <li>told to each worker that comes.
 * </ul>
 *
 * @param <S> names a session
 */
public final class CollectionChecker<S> {
  private final long installNs;
  private final Map<S, Session> sessions = new HashMap<>();
  private final Map<String, Offer> offers = new HashMap<>();

  private static final class Session {
    private final String worker;
    private final long told;

    /** What it has last reported as visible; before that it may show any state. */
    private long shown;

    private boolean installs;

    private Session(String worker, long told) {
      this.worker = worker;
      this.told = told;
    }
  }

  private record Offer(long index, long atNs) {}

  /**
   * A leader has started.
   *
   * @param installNs how long it keeps what a worker installs
   */
  public CollectionChecker(long installNs) {
    this.installNs = installNs;
  }

  /**
   * The leader admits a worker.
   *
   * @param told chunks of entries up to this one may be gone, says its Welcome
   * @param mark what is durably said
   * @param newest the newest snapshot in the catalog; 0 if there is none
   */
  public void welcomed(S session, String worker, long told, long mark, long newest) {
    Violation.unless(
        told >= mark,
        worker,
        " is told that chunks may be gone up to entry ",
        told,
        ", and they may be up to ",
        mark);
    Violation.unless(
        told <= newest,
        worker,
        " is told that chunks may be gone up to entry ",
        told,
        ", and the newest snapshot is of entry ",
        newest);
    sessions.put(session, new Session(worker, told));
    offers.remove(worker);
  }

  /** The leader offers a worker that it has just admitted the snapshot of an entry. */
  public void offered(S session, long index, long nowNs) {
    Session installing = sessions.get(session);
    if (installing == null) {
      throw new Violation("a snapshot is offered to nobody");
    }
    installing.installs = true;
    offers.put(installing.worker, new Offer(index, nowNs));
  }

  /** The leader hears what a worker shows to processes. */
  public void reported(S session, long visible) {
    Session known = sessions.get(session);
    if (known != null) {
      known.shown = visible;
    }
  }

  /**
   * The leader is about to say durably that chunks may be gone.
   *
   * @param mark up to this entry
   * @param newest the newest snapshot in the catalog; 0 if there is none
   * @param open the sessions that have not ended
   */
  public void raised(long mark, long newest, Set<S> open, long nowNs) {
    Violation.unless(
        mark <= newest,
        "chunks are collected up to entry ",
        mark,
        ", and the newest snapshot is of entry ",
        newest);
    sessions.keySet().retainAll(open);
    for (Session session : sessions.values()) {
      Violation.unless(
          session.installs || mark <= Math.max(session.told, session.shown),
          "chunks are collected up to entry ",
          mark,
          ", and ",
          session.worker,
          " shows the state of entry ",
          session.shown);
    }
    offers.forEach(
        (worker, offer) ->
            Violation.unless(
                nowNs - offer.atNs >= installNs || mark <= offer.index,
                "chunks are collected up to entry ",
                mark,
                ", and ",
                worker,
                " installs the snapshot of entry ",
                offer.index));
  }
}
