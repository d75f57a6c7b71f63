package io.hypersync.worker.notice;

import io.hypersync.wire.message.LeaderMessage.Notice;
import java.util.ArrayDeque;
import java.util.List;

/**
 * The notices of the leader. They are numbered by session; what comes again is not taken again, and
 * a gap was dropped by the leader. Keeps the latest. Single-threaded.
 */
public final class Notices {
  /** How many are kept; a text has {@link Notice#MAX_TEXT} characters at most. */
  public static final int MOST = 200;

  /**
   * A notice that was taken.
   *
   * @param session the session that has numbered it
   */
  public record Taken(long session, Notice notice) {}

  private final ArrayDeque<Taken> latest = new ArrayDeque<>();
  private long session;
  private long seen;
  private long taken;
  private long missed;
  private long repeated;

  /** The leader has granted a session: another one has numbers of its own. */
  public void session(long granted) {
    if (granted != session) {
      session = granted;
      seen = 0;
    }
  }

  /**
   * A notice has arrived.
   *
   * @return whether it is new
   */
  public boolean take(Notice notice) {
    if (!isNew(notice)) {
      repeated++;
      return false;
    }
    missed += notice.number() - seen - 1;
    seen = notice.number();
    taken++;
    latest.addLast(new Taken(session, notice));
    if (latest.size() > MOST) {
      latest.removeFirst();
    }
    return true;
  }

  private boolean isNew(Notice notice) {
    return notice.number() > seen;
  }

  /** The session whose notices are taken. */
  public long session() {
    return session;
  }

  /** The number of the newest one in this session; 0 if there was none. */
  public long seen() {
    return seen;
  }

  /** How many were taken since the start. */
  public long taken() {
    return taken;
  }

  /** How many the leader had no room for. */
  public long missed() {
    return missed;
  }

  /** How many came more than once. */
  public long repeated() {
    return repeated;
  }

  /** The latest, oldest first. */
  public List<Taken> latest() {
    return List.copyOf(latest);
  }
}
