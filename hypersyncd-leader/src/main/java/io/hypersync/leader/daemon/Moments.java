package io.hypersync.leader.daemon;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.history.HeapAllowance;
import io.hypersync.leader.history.PastStates;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.snapshot.SnapshotHold;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.agent.AgentQueries;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.StoredPages;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What requests call a state: a snapshot's name, an index, a time, how long ago, or {@code head}.
 */
final class Moments {
  /** The newest state. */
  static final String HEAD = "head";

  /** How long an entry may take to become durable, in ms. */
  private static final long DURABLE_LIMIT_MS = 10_000;

  private final AgentQueries<LeaderAgent> agent;
  private final Consumer<Consumer<LeaderAgent>> post;
  private final OpLog log;
  private final ChunkStore chunks;
  private final WorkspaceId workspace;
  private final Clock clock;
  private final SlowRequests requests;

  /**
   * The states of one leader.
   *
   * @param post runs a call of the agent on its thread, or drops it if that has ended
   * @param clock says what "ago" means
   * @param requests end when the leader stops
   */
  Moments(
      AgentQueries<LeaderAgent> agent,
      Consumer<Consumer<LeaderAgent>> post,
      OpLog log,
      ChunkStore chunks,
      WorkspaceId workspace,
      Clock clock,
      SlowRequests requests) {
    this.agent = agent;
    this.post = post;
    this.log = log;
    this.chunks = chunks;
    this.workspace = workspace;
    this.clock = clock;
    this.requests = requests;
  }

  /** Whether a word means a state, so that no snapshot may be called so. */
  static boolean isMoment(String word) {
    return word.equals(HEAD) || MomentTime.isAgo(word);
  }

  /** The newest state, once its last entry is durable: nobody may see one that is not. */
  PastStates.Newest newest() {
    PastStates.Newest newest =
        agent.ask(
            leader ->
                new PastStates.Newest(
                    leader.sequencer().head(),
                    leader.sequencer().headIndex(),
                    leader.sequencer().lastTimeNs(),
                    List.copyOf(leader.snapshots().all())));
    awaitDurable(newest.index());
    return newest;
  }

  /**
   * What a request may take of the heap for states of the past.
   *
   * @param otherwise what else helps than a larger heap, as the beginning of a sentence
   */
  static HeapAllowance allowance(String otherwise) {
    return new HeapAllowance(
        HeapBudget.freeForOthers(),
        otherwise
            + ", or start the leader with a larger heap: HYPERSYNC_JAVA_OPTS=-Xmx"
            + HeapBudget.twiceMib()
            + "m");
  }

  /** Reads states of the past for one request. */
  PastStates past(PastStates.Newest newest, HeapAllowance allowance) {
    return new PastStates(
        log,
        workspace,
        new StoredPages(chunks, RateLimit.NONE),
        newest,
        allowance,
        requests::requireRunning);
  }

  /**
   * Keeps the snapshot that a state is read from, with the log behind it: when it is gone, its
   * pages and chunks may go. To be taken before the state is read; the caller ends it.
   *
   * @throws UserError if it was removed meanwhile
   */
  SnapshotHold hold(PastStates.Newest newest, long index) {
    for (Snapshot snapshot : newest.snapshots().reversed()) {
      if (snapshot.index() <= index) {
        SnapshotHold hold = new SnapshotHold(snapshot.index());
        boolean isHeld = false;
        try {
          isHeld = agent.ask(leader -> hold.begin(leader.snapshots()));
        } finally {
          if (!isHeld) { // the agent may still come to it, after the time limit
            post.accept(leader -> hold.end(leader.snapshots()));
          }
        }
        if (!isHeld) {
          throw new UserError("the snapshot was removed meanwhile", "Try again.");
        }
        return hold;
      }
    }
    return new SnapshotHold(0); // there is no such snapshot, and the log begins with the workspace
  }

  /** Ends a hold. */
  void end(SnapshotHold hold) {
    post.accept(leader -> hold.end(leader.snapshots()));
  }

  /**
   * Waits until an entry is on the disk.
   *
   * @throws UserError if that takes too long, or the leader stops
   */
  void awaitDurable(long index) {
    for (long waitedMs = 0; log.durableIndex() < index; waitedMs++) {
      requests.requireRunning();
      if (waitedMs >= DURABLE_LIMIT_MS) {
        throw new UserError("entries are not on the disk yet", "Look at the disk.");
      }
      try {
        Thread.sleep(1);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new UserError("interrupted", "");
      }
    }
  }

  /**
   * The index of a state.
   *
   * @throws UserError if the word means none
   */
  long index(String moment, PastStates.Newest newest, PastStates past) throws IOException {
    if (moment.equals(HEAD)) {
      return newest.index();
    }
    for (Snapshot snapshot : newest.snapshots()) {
      if (!moment.isEmpty() && snapshot.name().equals(moment)) {
        return snapshot.index();
      }
    }
    if (!moment.isEmpty() && moment.chars().allMatch(c -> c >= '0' && c <= '9')) {
      try {
        return Long.parseLong(moment);
      } catch (NumberFormatException e) {
        return Long.MAX_VALUE; // there is none, which is said with the newest one
      }
    }
    return past.indexAt(MomentTime.ns(moment, clock.epochNs()));
  }

  /**
   * The first entry that is since a state: an index means that entry, all else what comes behind
   * the state.
   *
   * @throws UserError if the word means none
   */
  long since(String moment, PastStates.Newest newest, PastStates past) throws IOException {
    long index = index(moment, newest, past);
    return isIndex(moment, newest) ? Math.max(1, index) : index + 1;
  }

  private static boolean isIndex(String moment, PastStates.Newest newest) {
    return newest.snapshots().stream().noneMatch(snapshot -> snapshot.name().equals(moment))
        && moment.chars().allMatch(c -> c >= '0' && c <= '9');
  }

  /** The names of a path from the root of the workspace; "", "." and "/" are the root. */
  static List<Name> path(String text) {
    List<Name> names = new ArrayList<>();
    for (String part : text.split("/", -1)) {
      if (part.isEmpty() || part.equals(".")) {
        continue;
      }
      try {
        names.add(Name.of(part));
      } catch (IllegalArgumentException e) {
        throw new UserError("the path: " + e.getMessage(), "", UserError.USAGE);
      }
    }
    return names;
  }
}
