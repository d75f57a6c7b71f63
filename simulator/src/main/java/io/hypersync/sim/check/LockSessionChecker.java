package io.hypersync.sim.check;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.function.ToLongFunction;

/**
 * Checks when one run of the leader ends the lock session of a worker (hypersync.md 10.2). It must
 * never end it, or warn of it, while the same run of the worker is in touch. It must end it when
 * processes of the worker hold locks and the worker has been silent for longer than the TTL and the
 * grace. Time in which the leader is paused does not count, as nothing could be renewed then.
 */
public final class LockSessionChecker {
  /** A worker in touch is heard at least this often, in nanoseconds. */
  private static final long LONGEST_GAP_NS = 300_000_000;

  /** A leader that is not paused does its timed work at least this often, in nanoseconds. */
  private static final long LONGEST_TURN_NS = 50_000_000;

  /** The leader's lease clock advances by at most this fraction of a TTL at a time. */
  private static final int STEPS_PER_TTL = 16;

  private static final class Worker {
    private Object run = "";
    private long number;
    private long begunNs;
    private long heardNs;
    private long heardAwakeNs;
    private boolean held;
    private long inTouchSinceNs;
  }

  private final long ttlNs;
  private final long leaseNs;
  private final BiPredicate<String, Long> holds;
  private final Map<String, Worker> workers = new LinkedHashMap<>();
  private long lastNs;
  private long awakeNs;

  /**
   * Creates a checker without sessions.
   *
   * @param ttlNs a worker whose session has not been renewed for so long is warned
   * @param graceNs the session ends this much later
   * @param holds whether processes of a worker hold locks in the session of this number
   */
  public LockSessionChecker(long nowNs, long ttlNs, long graceNs, BiPredicate<String, Long> holds) {
    this.lastNs = nowNs;
    this.ttlNs = ttlNs;
    this.leaseNs = ttlNs + graceNs;
    this.holds = holds;
  }

  /**
   * The leader is about to process a message of a worker, from a connection that it has accepted.
   */
  public void heard(String name, long nowNs) {
    Worker worker = workers.get(name);
    if (worker != null) {
      if (nowNs - worker.heardNs > LONGEST_GAP_NS) {
        worker.inTouchSinceNs = nowNs;
      }
      worker.heardNs = nowNs;
      worker.heardAwakeNs = awakeNs;
      worker.held = holds.test(name, worker.number);
    }
  }

  /**
   * The leader has accepted a Hello.
   *
   * @param run identity of the worker's run: a restarted worker has lost its locks, and must get a
   *     new session
   * @param number of its lock session now
   */
  public void established(String name, Object run, long number, long nowNs) {
    Worker worker = workers.computeIfAbsent(name, _ -> new Worker());
    Violation.unless(
        number != 0 && (worker.run.equals(run) || worker.number != number),
        "another run of ",
        name,
        " goes on with the locks of the one before");
    if (worker.run.equals(run) && worker.number != number) {
      ended(name, worker, nowNs);
    }
    if (worker.number != number) {
      worker.begunNs = nowNs;
    }
    worker.run = run;
    worker.number = number;
    worker.inTouchSinceNs = nowNs;
    worker.heardNs = nowNs;
    worker.heardAwakeNs = awakeNs;
    worker.held = holds.test(name, number);
  }

  /** The leader warns a worker that its locks have not been renewed. */
  public void warned(String name, long nowNs) {
    Worker worker = workers.get(name);
    Violation.unless(
        worker == null
            || nowNs - worker.heardNs > LONGEST_GAP_NS
            || nowNs - worker.inTouchSinceNs <= 2 * ttlNs + LONGEST_GAP_NS,
        name,
        " is warned that its locks are not renewed, and has been in touch for ",
        worker == null ? 0 : (nowNs - worker.inTouchSinceNs) / 1_000_000,
        " ms");
  }

  /**
   * The leader has done its timed work.
   *
   * @param sessions the number of each worker's lock session at the leader now; 0 if none
   */
  public void look(ToLongFunction<String> sessions, long nowNs) {
    awakeNs += Math.min(nowNs - lastNs, LONGEST_TURN_NS);
    lastNs = nowNs;
    workers.forEach(
        (name, worker) -> {
          long number = sessions.applyAsLong(name);
          if (number != worker.number) {
            ended(name, worker, nowNs);
            worker.number = number;
          }
          long silentNs = awakeNs - worker.heardAwakeNs;
          if (worker.held && number != 0 && silentNs > leaseNs + 2 * LONGEST_TURN_NS) {
            throw new Violation(
                "the locks of "
                    + name
                    + " are kept though it has not been heard of for "
                    + silentNs / 1_000_000
                    + " ms");
          }
        });
  }

  private void ended(String name, Worker worker, long nowNs) {
    // The leader counts from its last reading of the clock; after a pause the next reading advances
    // its lease clock by one step at most.
    Violation.unless(
        worker.number == 0
            || nowNs - worker.begunNs >= leaseNs - Math.max(LONGEST_TURN_NS, ttlNs / STEPS_PER_TTL),
        name,
        " has lost the locks of a session that is ",
        (nowNs - worker.begunNs) / 1_000_000,
        " ms old");
    Violation.unless(
        worker.number == 0
            || nowNs - worker.heardNs > LONGEST_GAP_NS
            || nowNs - worker.inTouchSinceNs <= leaseNs,
        name,
        " has lost its locks though it has been in touch for ",
        (nowNs - worker.inTouchSinceNs) / 1_000_000,
        " ms");
  }
}
