package io.hypersync.leader.repair;

import io.hypersync.leader.port.SessionPort;
import io.hypersync.leader.sequencer.BoundedMap;
import io.hypersync.leader.session.WorkerSession;
import io.hypersync.leader.session.WorkerSessions;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.wire.message.LeaderMessage.ChunkData;
import io.hypersync.wire.message.LeaderMessage.ChunkUnavailable;
import io.hypersync.wire.message.LeaderMessage.ChunkWanted;
import io.hypersync.wire.transport.SessionId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gets chunks, pages among them, that the leader's store has lost from workers that have them.
 * Whatever is content-addressed can come from anybody: its hash shows that it is right.
 *
 * <pre>
 *   lost --ask a worker, a second one after 300 ms, ...--&gt; a copy --&gt; stored: who waits is served
 *     |
 *     +--all workers have answered--&gt; hopeless: who waits gets EIO; not looked for again for a
 *     |                               minute, or until a worker joins
 *     +--ten seconds are over--&gt; who waits gets EAGAIN, and asks again
 * </pre>
 *
 * <p>EIO says that no worker that is connected has the chunk: then entries are applied without it.
 * So it is said only when each has answered, or has been silent for half a minute with copies that
 * it owes. Whatever else prevents a search, such as too many of them, is told as EAGAIN.
 *
 * <p>Bounded: how many chunks are looked for, how many of them for one session, how many copies one
 * worker owes, how much is done in one turn, and what is logged. A worker owes a copy until it
 * answers, however long that takes, so one that is slow is not asked for more; its late copy is
 * taken. A copy from a worker that was not asked for it is dropped. On the agent's thread.
 */
public final class ChunkRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(ChunkRecovery.class);

  /** How many chunks are looked for at a time; for more, workers ask again. */
  static final int MAX_CHUNKS = 4_096;

  /** How many of them one session can cause: it may invent hashes. */
  static final int MAX_PER_SESSION = 512;

  /** How many copies one worker can owe. */
  static final int MAX_OWED = 16;

  private static final String NOBODY_HAS_IT = "no connected worker has it either";
  private static final int MAX_HOPELESS = 4_096;
  private static final int MAX_WAITING = 64;
  private static final int ROWS_PER_TURN = 64;
  private static final long TURN_NS = 20_000_000L;
  private static final long NEXT_WORKER_NS = 300_000_000L;

  /** After a start the workers that have the chunk may not be back yet. */
  private static final long LEAST_WAIT_NS = 2_000_000_000L;

  private static final long LONGEST_WAIT_NS = 10_000_000_000L;

  /** A worker that owes copies and has not sent one for as long is not waited for. */
  private static final long SILENT_NS = 30_000_000_000L;

  private static final long HOPELESS_NS = 60_000_000_000L;
  private static final long LOG_EVERY_NS = 60_000_000_000L;

  private final WorkerSessions sessions;
  private final SessionPort port;
  private final BiConsumer<SessionId, ChunkRef> serve;
  private final Consumer<Hash> verify;
  private final Map<Hash, Search> searches = new HashMap<>();

  /** Searches in the order in which they are looked at next; may have some that have ended. */
  private final ArrayDeque<Search> queue = new ArrayDeque<>();

  /** Until when a chunk is not asked for again; the eldest first. */
  private final Map<Hash, Long> hopeless = new BoundedMap<>(MAX_HOPELESS);

  private final Map<SessionId, Debt> debts = new HashMap<>();

  /** How many searches each session has caused. */
  private final Map<SessionId, Integer> caused = new HashMap<>();

  private long nextTurnNs;
  private boolean hasLogged;
  private long nextLogNs;
  private long lostSinceLog;
  private long recovered;
  private long failed;

  /** One chunk that is looked for. */
  private static final class Search {
    private final Hash hash;
    private final @Nullable SessionId causedBy;
    private final long sinceNs;
    private final Set<SessionId> tried = new HashSet<>();
    private final Map<SessionId, ChunkRef> waiting = new LinkedHashMap<>();
    private long nextNs;

    /** The store was asked once more, before the search ends without success. */
    private boolean isReadAgain;

    /** That read has found nothing. */
    private boolean isReadInVain;

    /** A copy from a worker is on its way to the store. */
    private boolean hasCopy;

    private Search(Hash hash, @Nullable SessionId causedBy, long nowNs) {
      this.hash = hash;
      this.causedBy = causedBy;
      this.sinceNs = nowNs;
      this.nextNs = nowNs;
    }
  }

  /** What one worker owes: it was asked for these, and has not answered. */
  private static final class Debt {
    private final Set<Hash> owes = new HashSet<>();

    /** When it has answered last, or was asked while it owed nothing. */
    private long answeredNs;

    private boolean isSilent(long nowNs) {
      return !owes.isEmpty() && nowNs - answeredNs >= SILENT_NS;
    }
  }

  /**
   * Nothing is lost.
   *
   * @param serve sends a stored chunk to a session
   * @param verify reads a chunk from the store once more; then {@link #stored} or {@link #lost} is
   *     called
   */
  public ChunkRecovery(
      WorkerSessions sessions,
      SessionPort port,
      BiConsumer<SessionId, ChunkRef> serve,
      Consumer<Hash> verify) {
    this.sessions = sessions;
    this.port = port;
    this.serve = serve;
    this.verify = verify;
  }

  /** A read of this chunk has shown that the store does not have it, or not intact. */
  public void lost(Hash hash, String why, long nowNs) {
    Search search = searches.get(hash);
    if (search == null) {
      if (mayBegin(hash, null, nowNs)) {
        var _ = begin(hash, null, why, nowNs);
      }
    } else if (search.isReadAgain) {
      search.isReadInVain = true;
    }
  }

  /**
   * A worker has asked for a chunk that the store does not have. It gets the chunk, or {@link
   * ChunkUnavailable} with EIO if no other worker has it, with EAGAIN if it should ask again.
   *
   * @param why what the store says of it, for the log
   */
  public void wanted(SessionId session, ChunkRef chunk, String why, long nowNs) {
    if (sessions.get(session) == null) {
      return; // it has ended meanwhile
    }
    Search search = searches.get(chunk.hash());
    if (search == null) {
      if (isHopeless(chunk.hash(), nowNs)) {
        unavailable(session, chunk.hash(), Errno.EIO, NOBODY_HAS_IT);
        return;
      }
      if (!mayBegin(chunk.hash(), session, nowNs)) {
        unavailable(session, chunk.hash(), Errno.EAGAIN, why + "; too many chunks are looked for");
        return;
      }
      search = begin(chunk.hash(), session, why, nowNs);
    }
    if (search.waiting.size() >= MAX_WAITING) {
      unavailable(session, chunk.hash(), Errno.EAGAIN, why + "; too many workers wait for it");
      return;
    }
    search.waiting.put(session, chunk);
    search.tried.add(session); // it would not ask if it had it
  }

  private void unavailable(SessionId session, Hash hash, Errno errno, String why) {
    port.send(session, new ChunkUnavailable(hash, errno, why));
  }

  /** Whether a search of less than a minute ago has shown that no connected worker has it. */
  public boolean isHopeless(Hash hash, long nowNs) {
    Long untilNs = hopeless.get(hash);
    return untilNs != null && nowNs - untilNs < 0;
  }

  private boolean mayBegin(Hash hash, @Nullable SessionId causedBy, long nowNs) {
    return !isHopeless(hash, nowNs)
        && searches.size() < MAX_CHUNKS
        && (causedBy == null || caused.getOrDefault(causedBy, 0) < MAX_PER_SESSION);
  }

  private Search begin(Hash hash, @Nullable SessionId causedBy, String why, long nowNs) {
    hopeless.remove(hash);
    Search search = new Search(hash, causedBy, nowNs);
    searches.put(hash, search);
    queue.addLast(search);
    if (causedBy != null) {
      caused.merge(causedBy, 1, Integer::sum);
    }
    log(hash, why, nowNs);
    return search;
  }

  private void log(Hash hash, String why, long nowNs) {
    lostSinceLog++;
    if (!hasLogged || nowNs - nextLogNs >= 0) {
      hasLogged = true;
      nextLogNs = nowNs + LOG_EVERY_NS;
      LOG.warn(
          "{} chunks are missing in the store or damaged, {} could not be had from workers so far;"
              + " the last one is {}: {}",
          lostSinceLog,
          failed,
          hash,
          why);
      lostSinceLog = 0;
    }
  }

  private void end(Search search) {
    searches.remove(search.hash);
    SessionId by = search.causedBy;
    if (by != null) {
      caused.computeIfPresent(by, (_, count) -> count == 1 ? null : count - 1);
    }
  }

  /**
   * A session sends a chunk.
   *
   * @return whether it was asked for it: only then the copy is to be stored, which leads to {@link
   *     #stored}, {@link #damaged} or {@link #noRoom}
   */
  public boolean copyArrived(SessionId session, Hash hash, long nowNs) {
    if (!settle(session, hash, nowNs)) {
      return false;
    }
    Search search = searches.get(hash);
    if (search != null) {
      search.hasCopy = true;
      search.nextNs = nowNs + NEXT_WORKER_NS; // the store has to write it first
    }
    return true;
  }

  /** A session does not have the chunk that it was asked for. */
  public void absent(SessionId session, Hash hash, long nowNs) {
    Search search = searches.get(hash);
    if (settle(session, hash, nowNs) && search != null && !search.hasCopy) {
      search.nextNs = nowNs; // the next one need not wait
    }
  }

  private boolean settle(SessionId session, Hash hash, long nowNs) {
    Debt debt = debts.get(session);
    if (debt == null || !debt.owes.remove(hash)) {
      return false;
    }
    debt.answeredNs = nowNs;
    return true;
  }

  /** A copy does not match its hash, or cannot be stored for another reason than room. */
  public void damaged(Hash hash, long nowNs) {
    Search search = searches.get(hash);
    if (search != null) {
      search.hasCopy = false;
      search.nextNs = nowNs;
    }
  }

  /**
   * The store has no room for a copy, whose bytes match its hash: who waits gets them, and that is
   * all for now.
   */
  public void noRoom(Hash hash, byte[] bytes) {
    Search search = searches.get(hash);
    if (search != null) {
      end(search);
      search.waiting.keySet().forEach(session -> port.send(session, new ChunkData(hash, bytes)));
    }
  }

  /** A chunk is in the store, intact. */
  public void stored(Hash hash) {
    hopeless.remove(hash);
    Search search = searches.get(hash);
    if (search != null) {
      end(search);
      recovered += search.hasCopy ? 1 : 0;
      search.waiting.forEach(serve);
    }
  }

  /** A session has ended; what only it has asked for is not looked for any more. */
  public void ended(SessionId session) {
    debts.remove(session);
    for (Search search : List.copyOf(searches.values())) {
      search.tried.remove(session);
      if (search.waiting.remove(session) != null
          && search.waiting.isEmpty()
          && session.equals(search.causedBy)) {
        end(search);
      }
    }
    caused.remove(session);
  }

  /** Another session is established: its worker may have what no other has. */
  public void established() {
    hopeless.clear();
  }

  /** Asks workers for some chunks, and tells who waits for those that cannot be had. */
  public void tick(long nowNs) {
    if (queue.isEmpty() || nowNs - nextTurnNs < 0) {
      return;
    }
    nextTurnNs = nowNs + TURN_NS;
    Map<SessionId, List<Hash>> asks = new LinkedHashMap<>();
    for (int i = Math.min(ROWS_PER_TURN, queue.size()); i > 0; i--) {
      Search search = queue.removeFirst();
      if (searches.get(search.hash) == search && !isOver(search, asks, nowNs)) {
        queue.addLast(search);
      }
    }
    asks.forEach((session, hashes) -> port.send(session, new ChunkWanted(hashes)));
  }

  /** Goes on with a search; returns whether it has ended. */
  private boolean isOver(Search search, Map<SessionId, List<Hash>> asks, long nowNs) {
    long waitedNs = nowNs - search.sinceNs;
    boolean isLate = waitedNs >= LONGEST_WAIT_NS;
    boolean mayCome = search.hasCopy || waitedNs < LEAST_WAIT_NS;
    for (WorkerSession session : sessions.all()) {
      Debt debt = debts.computeIfAbsent(session.id(), _ -> new Debt());
      boolean isAsked = debt.owes.contains(search.hash);
      if (!session.isEstablished()
          || debt.isSilent(nowNs)
          || (!isAsked && search.tried.contains(session.id()))) {
        continue;
      }
      mayCome = true;
      if (!isAsked && !isLate && debt.owes.size() < MAX_OWED && nowNs - search.nextNs >= 0) {
        ask(session.id(), debt, search, nowNs);
        asks.computeIfAbsent(session.id(), _ -> new ArrayList<>()).add(search.hash);
        return false;
      }
    }
    if (mayCome && !isLate) {
      return false;
    }
    if (!search.isReadAgain) { // it may have come another way meanwhile
      search.isReadAgain = true;
      verify.accept(search.hash);
    }
    if (!search.isReadInVain) {
      return false; // every read has a result
    }
    giveUp(search, mayCome, nowNs);
    return true;
  }

  private static void ask(SessionId id, Debt debt, Search search, long nowNs) {
    if (debt.owes.isEmpty()) {
      debt.answeredNs = nowNs;
    }
    debt.owes.add(search.hash);
    search.tried.add(id);
    search.nextNs = nowNs + NEXT_WORKER_NS;
  }

  private void giveUp(Search search, boolean mayCome, long nowNs) {
    end(search);
    failed++;
    if (!mayCome) {
      hopeless.put(search.hash, nowNs + HOPELESS_NS);
    }
    for (SessionId session : search.waiting.keySet()) {
      if (mayCome) {
        unavailable(session, search.hash, Errno.EAGAIN, "not all workers have answered");
      } else {
        unavailable(session, search.hash, Errno.EIO, NOBODY_HAS_IT);
      }
    }
  }

  /** How many chunks have come back from workers since the start. */
  public long recovered() {
    return recovered;
  }

  /** How many searches have ended without the chunk since the start. */
  public long failed() {
    return failed;
  }

  /** How many chunks are looked for now. */
  public int searches() {
    return searches.size();
  }
}
