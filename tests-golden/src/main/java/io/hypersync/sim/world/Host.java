package io.hypersync.sim.world;

import java.util.ArrayDeque;

/**
 * The process that an agent runs in, from its start to its crash. Everything in it happens on one
 * thread, in order; it may be paused, as by SIGSTOP or a busy machine, and nothing happens in it
 * after its crash.
 */
public final class Host {
  private static final long WAKE_NS = 20_000;

  private final Timeline timeline;
  private final Chance chance;
  private final String name;
  private final ArrayDeque<Runnable> inbox = new ArrayDeque<>();
  private Work work = () -> 0;
  private boolean alive = true;
  private boolean awake;
  private long pausedUntilNs;

  /** The sum of all pauses, the rest of one that lasts included. */
  private long pausedNs;

  /** The agent's {@code doWork}. */
  @FunctionalInterface
  public interface Work {
    /** Returns how much was done. */
    int doWork();
  }

  /** A process that has just started. */
  public Host(Timeline timeline, Chance chance, String name) {
    this.timeline = timeline;
    this.chance = chance;
    this.name = name;
  }

  /** What is done whenever something has come in, or time has passed. */
  public void runs(Work newWork) {
    work = newWork;
  }

  /** Monotonic time, as this process reads it. */
  public long nowNs() {
    return timeline.monotonicNs();
  }

  /** Whether it has not crashed. */
  public boolean isAlive() {
    return alive;
  }

  /** Nothing of it will happen any more. */
  public void crash() {
    alive = false;
    inbox.clear();
  }

  /** It stands still for a while, or for longer if it does already. */
  public void pause(long ns) {
    long nowNs = timeline.monotonicNs();
    long fromNs = Math.max(pausedUntilNs, nowNs);
    pausedUntilNs = Math.max(pausedUntilNs, nowNs + ns);
    pausedNs += pausedUntilNs - fromNs;
  }

  /**
   * Monotonic time in nanoseconds that stands still while this process is paused. Who judges what
   * the process should have noticed counts with this: nothing happens at the end of a pause, so a
   * checker that looks after each event does not see it.
   */
  public long awakeNs() {
    long nowNs = timeline.monotonicNs();
    return nowNs - (pausedNs - Math.max(0, pausedUntilNs - nowNs));
  }

  /** When the last pause has ended or will end, of the monotonic clock; 0 if there was none. */
  public long pausedUntilNs() {
    return pausedUntilNs;
  }

  /** Notes what happens in this process now. */
  public void note(String what) {
    timeline.note(name + ": " + what);
  }

  /** Something happens in this process after a while, unless it crashes before. */
  public void after(long delayNs, String what, Runnable action) {
    timeline.after(delayNs, "", () -> happen(what, action));
  }

  /** A task for the agent's thread: runs soon, after those that came before it. */
  public void execute(Runnable task) {
    inbox.addLast(task);
    wake();
  }

  /** Has the agent work soon; wakes that meet one another become one. */
  public void wake() {
    if (!awake && alive) {
      awake = true;
      after(chance.between(0, WAKE_NS), "", this::run);
    }
  }

  /** The agent is woken at least every so many nanoseconds. */
  public void tickEvery(long ns) {
    after(
        ns,
        "",
        () -> {
          wake();
          tickEvery(ns);
        });
  }

  private void happen(String what, Runnable action) {
    if (!alive) {
      return;
    }
    long wait = pausedUntilNs - timeline.monotonicNs();
    if (wait > 0) {
      timeline.after(wait, "", () -> happen(what, action));
      return;
    }
    if (!what.isEmpty()) {
      note(what);
    }
    action.run();
  }

  private void run() {
    awake = false;
    for (int left = inbox.size(); left > 0 && alive; left--) {
      inbox.removeFirst().run();
    }
    if (alive && (work.doWork() > 0 || !inbox.isEmpty())) {
      wake();
    }
  }
}
