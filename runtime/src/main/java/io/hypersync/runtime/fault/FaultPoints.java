package io.hypersync.runtime.fault;

import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fault injection for tests: holds a daemon at a named place, so that it can be killed there, or
 * slows it down (hypersync.md 22.3). Off unless these environment variables are set:
 *
 * <ul>
 *   <li>{@code HYPERSYNC_FAULT_HOLD_AT}: a {@link Moment} and the number of its occurrence, from 1,
 *       such as {@code ACK_RECEIVED:20}. The thread that gets there logs it and blocks forever.
 *   <li>{@code HYPERSYNC_FAULT_NOTIFIER_DELAY_US}: each invalidation is sent to the kernel after a
 *       random delay of at most so many microseconds.
 * </ul>
 *
 * <p>Thread-safe.
 */
public final class FaultPoints {
  private static final Logger LOG = LoggerFactory.getLogger(FaultPoints.class);
  private static final String HOLD_AT = "HYPERSYNC_FAULT_HOLD_AT";
  private static final String NOTIFIER_DELAY = "HYPERSYNC_FAULT_NOTIFIER_DELAY_US";

  private final @Nullable Moment heldAt;
  private final AtomicInteger left;
  private final long notifierDelayUs;

  private FaultPoints(@Nullable Moment heldAt, int which, long notifierDelayUs) {
    this.heldAt = heldAt;
    this.left = new AtomicInteger(which);
    this.notifierDelayUs = notifierDelayUs;
  }

  /** A place on the path of a mutation or of a trim, between two steps. */
  public enum Moment {
    /** Worker: the intent was sent, its CommitAck has not arrived. */
    INTENT_SENT,

    /** Worker: the CommitAck has arrived, the entry is not applied. */
    ACK_RECEIVED,

    /** Leader: the chunks have arrived and are stored, their intent is not sequenced. */
    CHUNKS_STORED,

    /** Leader: the entry is durable, its CommitAck is not sent. */
    ENTRY_DURABLE,

    /** Leader: a trim has taken a segment out of the log, its files are not deleted. */
    SEGMENT_WITHDRAWN,

    /** Worker: its successor is ready, and it has not said yet that it ends for that. */
    SUCCESSOR_READY,

    /** Worker: a thread is about to drop names in the kernel, and counts as being in there. */
    NAMES_DROPPED,

    /** Worker: it answers its mount no more, and still holds its state directory. */
    MOUNT_LEFT,

    /** Worker: its state directory is free, and its process has not ended. */
    STATE_RELEASED,

    /** Successor: it is about to say that it is ready. */
    TURN_AWAITED,

    /** Successor: the worker before has ended, and it has not taken the mount. */
    TURN_CAME,

    /** Successor: it has taken the mount, and not read from it. */
    MOUNT_TAKEN
  }

  /** The fault points that this process's environment configures. */
  public static FaultPoints configured() {
    return of(System.getenv());
  }

  /**
   * The fault points that an environment configures.
   *
   * @throws IllegalArgumentException if a variable has an invalid value
   */
  static FaultPoints of(Map<String, String> environment) {
    long delayUs = Long.parseLong(environment.getOrDefault(NOTIFIER_DELAY, "0"));
    String hold = environment.get(HOLD_AT);
    if (hold == null) {
      return new FaultPoints(null, 0, delayUs);
    }
    int colon = hold.indexOf(':');
    int which = colon < 0 ? 0 : Integer.parseInt(hold.substring(colon + 1));
    if (which < 1) {
      throw new IllegalArgumentException(HOLD_AT + " is <moment>:<which one>, not " + hold);
    }
    Moment moment = Moment.valueOf(hold.substring(0, colon));
    LOG.warn("{} is set: this daemon will block at {}, occurrence {}", HOLD_AT, moment, which);
    return new FaultPoints(moment, which, delayUs);
  }

  /** Whether some occurrence of this moment is configured to block. */
  public boolean holdsAt(Moment moment) {
    return heldAt == moment;
  }

  /** Called before a notification is sent to the kernel; sleeps for the configured random delay. */
  public void slowNotifier() {
    if (notifierDelayUs > 0) {
      long us = ThreadLocalRandom.current().nextLong(notifierDelayUs + 1);
      LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(us));
    }
  }

  /** Called when a thread gets to such a moment; never returns from the configured occurrence. */
  public void reached(Moment moment) {
    if (heldAt == moment && left.decrementAndGet() == 0) {
      LOG.warn("held at {}", moment);
      while (true) {
        LockSupport.park(this);
      }
    }
  }
}
