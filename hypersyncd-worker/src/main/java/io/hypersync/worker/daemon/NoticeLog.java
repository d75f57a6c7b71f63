package io.hypersync.worker.daemon;

import io.hypersync.model.text.Printable;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.wire.message.LeaderMessage.Notice;
import java.util.function.Consumer;

/**
 * Writes notices for people of this host into the log, a few lines in a minute at most. Not who has
 * come and gone, which is in {@code hypersync events}. Single-threaded.
 */
final class NoticeLog {
  /** How many lines there are in {@link #LINES_NS}. */
  static final int MOST_LINES = 10;

  private static final long LINES_NS = 60_000_000_000L;

  private final Clock clock;
  private final Consumer<String> lines;
  private long sinceNs;
  private int written;
  private long leftOut;

  NoticeLog(Clock clock, Consumer<String> lines) {
    this.clock = clock;
    this.lines = lines;
    this.sinceNs = clock.monotonicNs();
  }

  void noticed(Notice notice) {
    switch (notice.kind()) {
      case MESSAGE -> write("a message from the leader's host: " + Printable.line(notice.text()));
      case LOCKS_LOST -> write("the leader says: " + Printable.line(notice.text()));
      case WORKER_JOINED, WORKER_LEFT -> {}
    }
  }

  private void write(String line) {
    long nowNs = clock.monotonicNs();
    if (nowNs - sinceNs >= LINES_NS) {
      sinceNs = nowNs;
      written = 0;
    }
    if (written == MOST_LINES) {
      leftOut++;
      return;
    }
    written++;
    lines.accept(leftOut == 0 ? line : line + " (" + leftOut + " others are not in this log)");
    leftOut = 0;
  }
}
