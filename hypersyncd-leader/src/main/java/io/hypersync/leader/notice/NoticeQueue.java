package io.hypersync.leader.notice;

import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.message.LeaderMessage.Notice;
import java.util.ArrayDeque;
import java.util.List;

/**
 * The latest notices of one session, until the worker's next Hello says that it has them. The
 * oldest makes room: the worker sees the gap in the numbers. Single-threaded.
 */
final class NoticeQueue {
  /** How many are kept. */
  static final int MOST = 100;

  /** About how much heap they take together, in bytes. */
  static final int MOST_BYTES = 64 * 1024;

  /** Heap of a notice without its text, in bytes. */
  private static final int WEIGHT = 120;

  /** Whatever a worker says that it has seen, there are numbers behind it. */
  private static final long MOST_SEEN = Long.MAX_VALUE / 2;

  private final ArrayDeque<Notice> kept = new ArrayDeque<>();
  private long bytes;
  private long newest;
  private long sentThrough;
  private long dropped;

  /**
   * Numbers the next notice, and keeps it.
   *
   * @param text its beginning is kept, if it is too long
   */
  Notice add(long atNs, Notice.Kind kind, WorkerId about, String text) {
    newest++;
    String told = text.length() > Notice.MAX_TEXT ? text.substring(0, Notice.MAX_TEXT) : text;
    Notice notice = new Notice(newest, atNs, kind, about, told);
    kept.addLast(notice);
    bytes += weight(notice);
    while (kept.size() > MOST || bytes > MOST_BYTES) {
      Notice oldest = kept.removeFirst();
      bytes -= weight(oldest);
      dropped += oldest.number() > sentThrough ? 1 : 0;
    }
    return notice;
  }

  /**
   * The worker has taken all up to this number. One that has seen more than this run of the leader
   * knows got it from an earlier run: numbers go on behind it.
   */
  void seen(long number) {
    long through = Math.min(number, MOST_SEEN);
    newest = Math.max(newest, through);
    sentThrough = Math.max(sentThrough, through);
    while (!kept.isEmpty() && kept.getFirst().number() <= through) {
      bytes -= weight(kept.removeFirst());
    }
  }

  /** All that are kept, which are sent now. */
  List<Notice> send() {
    sentThrough = newest;
    return List.copyOf(kept);
  }

  /** How many are kept. */
  int size() {
    return kept.size();
  }

  /** About how much heap they take, in bytes. */
  long bytes() {
    return bytes;
  }

  /** How many had to make room before they were sent. */
  long dropped() {
    return dropped;
  }

  /** How many are kept that were not sent yet. */
  long unsent() {
    return kept.stream().filter(notice -> notice.number() > sentThrough).count();
  }

  private static int weight(Notice notice) {
    return WEIGHT + 2 * notice.text().length();
  }
}
