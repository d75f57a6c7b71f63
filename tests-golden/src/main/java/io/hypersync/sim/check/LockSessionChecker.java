package io.hypersync.sim.check;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.function.ToLongFunction;

/**
 * When one run of the leader may end the lock session of a worker, and when it must (hypersync.md
 * 10.2): never while the worker is in touch and stays the same, whom it has no reason to warn
 * either; always when its processes hold locks and it has been gone for longer than its lease and
 * the grace after it. For as long as the leader stands still no time passes in which anything could
 * be renewed.
 */
public final class LockSessionChecker {
  /** A worker in touch is heard at least so often, in nanoseconds. */
  private static final long LONGEST_GAP_NS = 300_000_000;

  /** A leader that runs looks around at least so often, in nanoseconds. */
  private static final long LONGEST_TURN_NS = 50_000_000;

  /** The leader's clock of leases goes on by such a part of a TTL at most. */
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
   * No sessions.
   *
   * @param ttlNs after how long a worker is warned whose session is not renewed
   * @param graceNs how much later the session ends
   * @param holds whether processes of a worker hold locks in the session of this number
   */
  public LockSessionChecker(long nowNs, long ttlNs, long graceNs, BiPredicate<String, Long> holds) {
    this.lastNs = nowNs;
    this.ttlNs = ttlNs;
    this.leaseNs = ttlNs + graceNs;
    this.holds = holds;
  }

  /** The leader is about to take a message of a worker over a connection that it has accepted. */
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
   * @param run of the worker: another one is another machine, as far as locks go
   * @param number of its session now
   */
  public void greeted(String name, Object run, long number, long nowNs) {
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

  /** The leader says that it has not heard of the locks of this worker. */
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

  /** The leader has looked around. */
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
    // The leader counts from its last look at the clock; after a pause its next one adds a step.
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
