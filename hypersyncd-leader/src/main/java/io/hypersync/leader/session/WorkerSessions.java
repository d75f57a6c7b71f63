package io.hypersync.leader.session;

import io.hypersync.leader.port.LogReadPort;
import io.hypersync.leader.port.SessionPort;
import io.hypersync.leader.syncstandby.SyncStandbys;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.wire.message.ChunkDelivery;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.LeaderMessage.Heartbeat;
import io.hypersync.wire.message.LeaderMessage.LogEntries;
import io.hypersync.wire.transport.SessionId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of connected workers, and how far the log has been sent to each (hypersync.md 12). A
 * worker gets every durable entry once per connection, in order, at most a window ahead of what it
 * has reported as applied (12.4). Used on the agent's thread only.
 *
 * <p>Its own entries, and all before them, are sent to a worker before they are durable: it can
 * apply them meanwhile, and its ack, which it gets anyway, shows that all of them are durable.
 * Other workers would need one more message for that. If the worker keeps payloads, its own entries
 * go without them ({@link KeptPayloads}).
 */
public final class WorkerSessions {
  private static final int MAX_BATCH_BYTES = 256 * 1024;

  private final SessionPort port;
  private final LogReadPort logReader;
  private final TailCache tail;
  private final int windowEntries;
  private final Pushes pushes;
  private final EndListener ends;
  private final Map<SessionId, WorkerSession> sessions = new LinkedHashMap<>();
  private final Map<WorkerId, WorkerSession> byWorker = new HashMap<>();

  /** Null if nobody is waited for. */
  private @Nullable SyncStandbys standbys;

  /** Called when entries are about to be sent. */
  @FunctionalInterface
  public interface Pushes {
    /**
     * Whether more entries may be sent now. If not, they are later: their chunks would have to wait
     * anyway, and a worker that waits for long asks for them.
     */
    default boolean hasRoom(WorkerSession session) {
      return true;
    }

    /** The last entry, of these, that may go in one message with the first one. */
    default long oneMessage(WorkerSession session, long from, long through) {
      return through;
    }

    /** Sends the chunks of a message's entries, too, if it can; returns how they come. */
    ChunkDelivery push(WorkerSession session, long from, long through);
  }

  /** Called when the leader ends a session. */
  @FunctionalInterface
  public interface EndListener {
    /**
     * A session is about to be ended.
     *
     * @param lastWord the message it is refused with; null if there is none
     * @param reason human-readable, for the log and status reports
     */
    void ending(WorkerSession session, LeaderMessage.@Nullable Refused lastWord, String reason);
  }

  /**
   * Starts without sessions and without a listener.
   *
   * @param windowEntries how many entries are sent beyond a worker's reported applied index
   */
  public WorkerSessions(
      SessionPort port, LogReadPort logReader, TailCache tail, int windowEntries) {
    this(
        port,
        logReader,
        tail,
        windowEntries,
        (_, _, _) -> ChunkDelivery.ON_REQUEST,
        (_, _, _) -> {});
  }

  /**
   * Starts without sessions.
   *
   * @param windowEntries how many entries are sent beyond a worker's reported applied index
   * @param pushes sends the chunks of entries
   * @param ends called when the leader ends a session
   */
  public WorkerSessions(
      SessionPort port,
      LogReadPort logReader,
      TailCache tail,
      int windowEntries,
      Pushes pushes,
      EndListener ends) {
    this.pushes = pushes;
    this.ends = ends;
    this.port = port;
    this.logReader = logReader;
    this.tail = tail;
    this.windowEntries = windowEntries;
  }

  /**
   * Sets which standbys are waited for: they are sent all that is durable on the leader's disk, for
   * else it would wait for what it does not send.
   */
  public void waitFor(SyncStandbys waited) {
    standbys = waited;
  }

  /**
   * What counts as durable for a session.
   *
   * @param durableIndex what does for workers
   */
  private long durableFor(WorkerSession session, long durableIndex) {
    return standbys != null && session.isSyncStandby() ? standbys.ownDurable() : durableIndex;
  }

  /** A connection was opened; the worker sends Hello next. */
  public void opened(SessionId id, WorkerId worker, String address, long nowNs) {
    sessions.put(id, new WorkerSession(id, worker, address, nowNs));
  }

  /**
   * The oldest connection of a worker without a Hello, if it has at least {@code most} of them;
   * else null.
   */
  public @Nullable WorkerSession oldestOfTooManySilent(WorkerId worker, int most) {
    WorkerSession oldest = null;
    int count = 0;
    for (WorkerSession session : sessions.values()) {
      if (!session.isEstablished() && session.worker().equals(worker)) {
        oldest = oldest == null ? session : oldest;
        count++;
      }
    }
    return count >= most ? oldest : null;
  }

  /** Forgets a connection that has ended. */
  public void closed(SessionId id) {
    WorkerSession session = sessions.remove(id);
    if (session != null) {
      byWorker.remove(session.worker(), session);
    }
  }

  /** The session, or null if it has ended. */
  public @Nullable WorkerSession get(SessionId id) {
    return sessions.get(id);
  }

  /** The worker's established session, or null. */
  public @Nullable WorkerSession of(WorkerId worker) {
    return byWorker.get(worker);
  }

  /**
   * The newest entry that all connected workers have applied. One that installs a snapshot needs no
   * entry before it.
   *
   * @param durableIndex the answer if there are none
   */
  public long appliedByAll(long durableIndex) {
    long applied = durableIndex;
    for (WorkerSession session : all()) {
      if (session.isEstablished() && !session.isInstalling()) {
        applied = Math.min(applied, session.appliedIndex());
      }
    }
    return applied;
  }

  /** All sessions, established or not. */
  public Collection<WorkerSession> all() {
    return sessions.values();
  }

  /** Accepts a Hello: the log is sent from the entry after {@code appliedIndex} on. */
  public void establish(WorkerSession session, long appliedIndex) {
    session.establish(appliedIndex);
    byWorker.put(session.worker(), session);
  }

  /** Accepts a Hello; the worker gets a snapshot, and no entries on this connection. */
  public void establishWithOffer(WorkerSession session, long appliedIndex) {
    establish(session, appliedIndex);
    session.offered();
  }

  /** An intent of this worker has become this entry, which is not durable yet. */
  public void sequenced(WorkerId worker, LogEntry entry) {
    WorkerSession session = byWorker.get(worker);
    if (session != null) {
      session.sequenced(entry);
    }
  }

  /** Ends a session after sending it {@code lastWord}. */
  public void refuse(WorkerSession session, LeaderMessage.Refused lastWord) {
    close(session, lastWord, lastWord.message());
  }

  /**
   * Ends a session without a message.
   *
   * @param reason human-readable, for the log and status reports
   */
  public void close(WorkerSession session, String reason) {
    close(session, null, reason);
  }

  private void close(
      WorkerSession session, LeaderMessage.@Nullable Refused lastWord, String reason) {
    ends.ending(session, lastWord, reason);
    closed(session.id());
    port.close(session.id(), lastWord);
  }

  /**
   * Sends every session the entries it may have by now, as far as its stream takes them.
   *
   * @return how many entries were sent
   */
  public int stream(long durableIndex) {
    int sent = 0;
    for (WorkerSession session : sessions.values()) {
      if (session.isEstablished() && !session.isInstalling()) {
        sent += stream(session, durableIndex);
      }
    }
    return sent;
  }

  /** Takes old entries that the {@link LogReadPort} has read, and sends them. */
  public void logRead(SessionId id, long fromIndex, List<byte[]> entries, long durableIndex) {
    WorkerSession session = sessions.get(id);
    if (session == null) {
      return;
    }
    session.readingLog(false);
    if (session.nextIndex() == fromIndex && !entries.isEmpty()) {
      int _ = send(session, entries, durableFor(session, durableIndex));
    }
  }

  /**
   * Ends a session that needs entries which the log does not hold any more.
   *
   * @param fromIndex the first entry that could not be read
   * @param firstIndex the first entry of the log
   */
  public void logTrimmed(SessionId id, long fromIndex, long firstIndex) {
    WorkerSession session = sessions.get(id);
    if (session == null) {
      return;
    }
    session.readingLog(false);
    if (session.nextIndex() == fromIndex) {
      refuse(session, TrimmedLog.refusal(fromIndex, firstIndex));
    }
  }

  /**
   * Sends a heartbeat to every established session.
   *
   * @param freeBytes what the leader's disk can still take; {@link Heartbeat#UNKNOWN} if not known
   */
  public void heartbeat(long leaderEpoch, long durableIndex, long freeBytes) {
    for (WorkerSession session : sessions.values()) {
      if (session.isEstablished()) {
        port.send(
            session.id(),
            new Heartbeat(
                leaderEpoch,
                durableFor(session, durableIndex),
                freeBytes,
                standbys == null ? null : standbys.standing(session.id())));
      }
    }
  }

  /**
   * Ends sessions from which no message has arrived during more than {@code maxSilentCalls} calls
   * of this method. Silence is counted in calls, not in time: after a pause, the leader must first
   * read the messages that have arrived meanwhile.
   */
  public void dropSilent(int maxSilentCalls) {
    for (WorkerSession session : new ArrayList<>(sessions.values())) {
      if (session.silentAgain() > maxSilentCalls) {
        close(session, "nothing was heard from it");
      }
    }
  }

  private int stream(WorkerSession session, long durableForWorkers) {
    long durableIndex = durableFor(session, durableForWorkers);
    int sent = 0;
    long through =
        Math.min(
            Math.max(durableIndex, session.ownIndex()), session.appliedIndex() + windowEntries);
    while (!session.readingLog()
        && session.nextIndex() <= through
        && pushes.hasRoom(session)
        && port.logWritable(session.id())) {
      long from = session.nextIndex();
      if (from < tail.firstIndex()) {
        session.readingLog(true);
        logReader.read(session.id(), from, MAX_BATCH_BYTES);
        break;
      }
      sent += send(session, tail.slice(from, through, MAX_BATCH_BYTES), durableIndex);
    }
    return sent;
  }

  /** Sends as many as there is room for, and returns how many. */
  private int send(WorkerSession session, List<byte[]> entries, long durableIndex) {
    long begin = session.nextIndex();
    long end = begin + entries.size() - 1;
    long from = begin;
    while (from <= end && pushes.hasRoom(session)) {
      long through = pushes.oneMessage(session, from, end);
      List<byte[]> part = entries.subList((int) (from - begin), (int) (through + 1 - begin));
      ChunkDelivery delivery = pushes.push(session, from, through);
      port.send(session.id(), new LogEntries(durableIndex, session.sent(from, part), delivery));
      from = through + 1;
    }
    session.sentThrough(from - 1);
    return (int) (from - begin);
  }
}
