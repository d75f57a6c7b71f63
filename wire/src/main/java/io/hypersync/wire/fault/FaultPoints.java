package io.hypersync.wire.fault;

import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Places where tests hold a daemon, so that it can be killed in a certain moment, or make it slow
 * (hypersync.md 22.3). Off unless the environment says otherwise:
 *
 * <ul>
 *   <li>{@code HYPERSYNC_FAULT_HOLD_AT}: a {@link Moment} and which one of them, from 1 on, such as
 *       {@code ACK_RECEIVED:20}. The thread that comes to it says so in the log and never goes on.
 *   <li>{@code HYPERSYNC_FAULT_NOTIFIER_DELAY_US}: the kernel is told what to forget so many
 *       microseconds late, at most.
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

  /** Between which two steps of a mutation a daemon is held. */
  public enum Moment {
    /** Worker: an intent has been sent, and its CommitAck is not here. */
    INTENT_SENT,

    /** Worker: the CommitAck is here, and the entry is not applied. */
    ACK_RECEIVED,

    /** Leader: chunks have arrived and are stored, and their intent is not sequenced. */
    CHUNKS_STORED,

    /** Leader: an entry is durable, and its CommitAck is not sent. */
    ENTRY_DURABLE
  }

  /** As the environment of this process says. */
  public static FaultPoints configured() {
    return of(System.getenv());
  }

  /**
   * As an environment says.
   *
   * @throws IllegalArgumentException if it says what does not exist
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
    LOG.warn("{} is set: this daemon will stand still at {}, number {}", HOLD_AT, moment, which);
    return new FaultPoints(moment, which, delayUs);
  }

  /** Whether somebody is to be held in such a moment. */
  public boolean holdsAt(Moment moment) {
    return heldAt == moment;
  }

  /** A notification is about to be sent to the kernel; waits, perhaps. */
  public void slowNotifier() {
    if (notifierDelayUs > 0) {
      long us = ThreadLocalRandom.current().nextLong(notifierDelayUs + 1);
      LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(us));
    }
  }

  /** The calling thread has come to such a moment: does not return if it is the one. */
  public void reached(Moment moment) {
    if (heldAt == moment && left.decrementAndGet() == 0) {
      LOG.warn("held at {}", moment);
      while (true) {
        LockSupport.park(this);
      }
    }
  }
}
