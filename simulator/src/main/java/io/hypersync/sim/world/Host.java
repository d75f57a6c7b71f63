package io.hypersync.sim.world;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A simulated process that runs an agent, from start to crash. Everything in it runs on one thread,
 * in order. It may be paused, as by SIGSTOP or an overloaded machine; nothing runs in it after its
 * crash.
 */
public final class Host {
  private static final long WAKE_NS = 20_000;

  private final Timeline timeline;
  private final Prng prng;
  private final String name;
  private final ArrayDeque<Runnable> inbox = new ArrayDeque<>();
  private Work work = () -> 0;

  /** Runs all that the thread does. */
  private Consumer<Runnable> owner = Runnable::run;

  /** The thread of another agent, if both are in one process. */
  private @Nullable Executor shared;

  private boolean alive = true;
  private boolean awake;
  private long pausedUntilNs;

  /** The sum of all pauses, the rest of one that lasts included. */
  private long pausedNs;

  private int pauses;

  /** The sum of those pauses in which the machine was suspended. */
  private long suspendedNs;

  /** The agent's {@code doWork}. */
  @FunctionalInterface
  public interface Work {
    /** Works once; returns how much was done. */
    int doWork();
  }

  /** Creates a running process. */
  public Host(Timeline timeline, Prng prng, String name) {
    this.timeline = timeline;
    this.prng = prng;
    this.name = name;
  }

  /** Sets the work, which runs whenever a task has arrived or a timer has fired. */
  public void runs(Work newWork) {
    work = newWork;
  }

  /** From now on this runs the thread's tasks and its work. */
  public void ownedBy(Consumer<Runnable> newOwner) {
    owner = newOwner;
  }

  /** The agent's tasks run on a thread that it shares with another agent. */
  public void shares(Executor thread) {
    shared = thread;
  }

  /** Monotonic time of this process, in nanoseconds. */
  public long nowNs() {
    return timeline.monotonicNs();
  }

  /** Whether the process has not crashed. */
  public boolean isAlive() {
    return alive;
  }

  /** Crashes the process: pending tasks and timers never run. */
  public void crash() {
    alive = false;
    inbox.clear();
  }

  /** Pauses the process for at least this long, in nanoseconds. */
  public void pause(long ns) {
    long nowNs = timeline.monotonicNs();
    long fromNs = Math.max(pausedUntilNs, nowNs);
    pausedUntilNs = Math.max(pausedUntilNs, nowNs + ns);
    pausedNs += pausedUntilNs - fromNs;
    pauses++;
    if (pauses % 2 == 0) { // the machine is suspended; the others are as by SIGSTOP
      suspendedNs += pausedUntilNs - fromNs;
    }
  }

  /**
   * Monotonic time in nanoseconds without the pauses of this process. Checkers of timeouts need it:
   * the end of a pause is no event, so a checker that runs after each event cannot see how long the
   * pause was.
   */
  public long awakeNs() {
    long nowNs = timeline.monotonicNs();
    return nowNs - (pausedNs - Math.max(0, pausedUntilNs - nowNs));
  }

  /**
   * For how long the machine has been suspended so far, in nanoseconds; not to be asked within a
   * pause, in which nothing runs.
   */
  public long suspendedNs() {
    return suspendedNs;
  }

  /** When the last pause ended or will end, on the monotonic clock; 0 without a pause. */
  public long pausedUntilNs() {
    return pausedUntilNs;
  }

  /** Adds a line to the trace. */
  public void note(String what) {
    timeline.note(name + ": " + what);
  }

  /**
   * Runs an action after a delay, unless the process has crashed by then; a pause delays it.
   *
   * @param what line for the trace; empty for none
   */
  public void after(long delayNs, String what, Runnable action) {
    timeline.after(delayNs, "", () -> happen(what, action));
  }

  /** Runs a task on the agent's thread soon, after the tasks queued before it. */
  public void execute(Runnable task) {
    Executor thread = shared;
    if (thread != null) {
      thread.execute(() -> runThere(task));
      return;
    }
    inbox.addLast(task);
    wake();
  }

  private void runThere(Runnable task) {
    if (alive) {
      task.run();
      wake();
    }
  }

  /** Runs a task and the agent's work, which is what a caller does that runs the agent. */
  public void runNow(Runnable task) {
    if (alive) {
      task.run();
      workNow();
    }
  }

  /** Lets the agent work in this call; its owner only. */
  public void workNow() {
    if (alive && work.doWork() > 0) {
      wake();
    }
  }

  /** Lets the agent work soon; pending wakes are merged into one. */
  public void wake() {
    if (!awake && alive) {
      awake = true;
      after(prng.between(0, WAKE_NS), "", this::run);
    }
  }

  /** Wakes the agent at least every {@code ns} nanoseconds. */
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
      owner.accept(inbox.removeFirst());
    }
    owner.accept(this::workNow);
    if (alive && !inbox.isEmpty()) {
      wake();
    }
  }
}
