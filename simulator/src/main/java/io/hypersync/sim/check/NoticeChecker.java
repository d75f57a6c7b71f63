package io.hypersync.sim.check;

import io.hypersync.wire.message.LeaderMessage.Notice;

/**
 * Checks what one run of a worker is told besides the log: in each session every notice once and in
 * order. There is room for all that a history brings, so none is missing.
 */
public final class NoticeChecker {
  private final String worker;
  private long session;
  private long last;

  /** Nothing was told yet. */
  public NoticeChecker(String worker) {
    this.worker = worker;
  }

  /**
   * The people of the worker's host are told something.
   *
   * @param granted the session of the last Welcome
   */
  public void told(long granted, Notice notice) {
    if (granted != session) {
      session = granted;
      last = 0;
    }
    if (notice.number() <= last) {
      throw new Violation("worker " + worker + " is told notice " + notice.number() + " again");
    }
    if (notice.number() > last + 1) {
      throw new Violation("worker " + worker + " is told " + notice.number() + " after " + last);
    }
    if (notice.about().name().equals(worker) && notice.kind() != Notice.Kind.LOCKS_LOST) {
      throw new Violation("worker " + worker + " is told of itself: " + notice);
    }
    last = notice.number();
  }
}
