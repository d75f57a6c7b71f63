package io.hypersync.sim.check;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.FsOp;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.worker.replica.IndexedState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Every mutation and the answer that its process got. Success means that it is in the log, once,
 * and applied on the worker that made it. An error means that it is not in the log and never will
 * be. Only EIO leaves the outcome open (hypersync.md 6.3, 6.4, 8.2).
 */
public final class MutationChecker {
  private static final class Made {
    final String tag;
    final FsOp op;
    final LinkRecord.Moment made;
    final LinkRecord link;
    long madeAtIndex;
    boolean told;
    @Nullable IntentId sentAs;
    @Nullable Errno errno;
    long loggedAt;

    /** It was this entry of a leader that is gone, and has taken it along; 0 if it was not. */
    long lostAt;

    /** A leader that is gone may have answered by entries that are lost. */
    boolean mayBeOfLost;

    Made(String tag, FsOp op, LinkRecord link, long madeAtIndex) {
      this.tag = tag;
      this.op = op;
      this.link = link;
      this.made = link.now();
      this.madeAtIndex = madeAtIndex;
    }
  }

  private final Clock clock;
  private final long longestWaitNs;
  private final Map<String, Made> all = new HashMap<>();
  private final Map<String, Made> waiting = new LinkedHashMap<>();
  private final Map<ClientId, Long> newestSent = new HashMap<>();

  /** Intents that the leader has refused because it could not read a page of its state. */
  private final Set<IntentId> refusedForPage = new HashSet<>();

  private @Nullable LogChecker log;
  private long committed;
  private long failed;
  private long unknown;

  /**
   * Creates a checker that has seen no mutation.
   *
   * @param longestWaitNs every mutation must have been answered after this time, in nanoseconds
   */
  public MutationChecker(Clock clock, long longestWaitNs) {
    this.clock = clock;
    this.longestWaitNs = longestWaitNs;
  }

  /** Sets the log against which answers are checked. */
  void judgeBy(LogChecker judge) {
    log = judge;
  }

  /**
   * Another leader has taken over, and goes on with a beginning of the log.
   *
   * @param before the last entry of the log before
   */
  void takenOver(LogChecker next, long before) {
    log = next;
    for (Made record : all.values()) {
      record.mayBeOfLost |= next.index() < before;
      record.madeAtIndex = Math.min(record.madeAtIndex, next.index());
      if (record.loggedAt > next.index()) {
        record.lostAt = record.loggedAt;
        record.loggedAt = 0;
      }
    }
  }

  /** How many were answered with success, and are lost with a leader that nobody has followed. */
  public long lostCount() {
    return all.values().stream()
        .filter(record -> record.told && record.errno == null && record.loggedAt == 0)
        .count();
  }

  /**
   * A mutation is submitted. Its tag is sent as the agent name and thereby appears in its log
   * entry.
   *
   * @param tag unique name of the mutation; it begins with the tag prefix of its worker
   * @param link record of the connection of the worker that makes it
   */
  public void made(String tag, FsOp op, LinkRecord link) {
    Made record = new Made(tag, op, link, log().index());
    all.put(tag, record);
    waiting.put(tag, record);
  }

  /**
   * The intent is sent to the leader; it must not follow a newer one of the same client (6.3.1). If
   * its node was found by a path, the worker must show everything that was known to be committed
   * when the call was made (6.2).
   *
   * @param visible newest index visible on its worker
   */
  public void sent(String tag, IntentId intent, long visible) {
    long newest = newestSent.merge(intent.client(), intent.seqNo(), Math::max);
    Violation.unless(intent.seqNo() == newest, tag, " is sent as ", intent, " behind ", newest);
    Made record = all.get(tag);
    if (record == null) {
      return;
    }
    record.sentAs = intent;
    if (!isByDescriptor(record.op)) {
      record.link.passes(record.op, record.made, visible);
    }
  }

  /**
   * The leader refuses an intent with EIO, and has not been able to read a page of its state: the
   * caller may be told EIO though nobody was out of touch.
   */
  void refusedForPage(IntentId intent) {
    refusedForPage.add(intent);
  }

  /** The caller gets EIO, and the locks are lost that it has made the mutation under. */
  public void mayBeFenced(String tag) {
    tell(tag).errno = Errno.EIO;
    unknown++;
  }

  /**
   * The caller of the mutation gets success.
   *
   * @param seen what its worker shows at that moment
   */
  public void committed(String tag, LogEntry entry, IndexedState seen) {
    long durableIndex = log().index();
    Made record = tell(tag);
    committed++;
    Violation.unless(
        entry.agent().equals(tag), record.tag, " was told the entry of ", entry.agent());
    if (record.loggedAt == 0 && record.lostAt == entry.index()) {
      return; // answered by a leader that has taken the entry along
    }
    Violation.unless(
        entry.index() <= durableIndex,
        tag,
        " was acknowledged as entry ",
        entry.index(),
        ", the log is durable through ",
        durableIndex);
    Violation.unless(
        record.loggedAt == entry.index(),
        tag,
        " was acknowledged as entry ",
        entry.index(),
        " but is ",
        record.loggedAt,
        " in the log");
    Violation.unless(
        seen.index() >= entry.index(),
        tag,
        " was answered at a_i = ",
        seen.index(),
        ", its entry is ",
        entry.index());
  }

  /**
   * The caller of the mutation gets an error.
   *
   * @param seen what its worker shows at that moment
   */
  public void failed(String tag, Errno errno, IndexedState seen) {
    Made record = tell(tag);
    record.errno = errno;
    if (errno == Errno.EIO) {
      unknown++;
      if (!refusedForPage.contains(record.sentAs)) {
        record.link.unknown(record.tag);
      }
      return;
    }
    failed++;
    Violation.unless(
        record.loggedAt == 0,
        tag,
        " (",
        record.op,
        ") failed with ",
        errno,
        " but is entry ",
        record.loggedAt);
    if (errno != Errno.EROFS
        && errno != Errno.ENOSPC
        && errno != Errno.EINTR
        && !record.mayBeOfLost) {
      Violation.unless(
          log().explains(record.op, errno, record.madeAtIndex, seen.index()),
          tag,
          " (",
          record.op,
          ") was told ",
          errno,
          ", which was not so at any time from entry ",
          record.madeAtIndex,
          " to entry ",
          seen.index());
    }
  }

  /**
   * Tags of the unanswered mutations of one worker that change the content or attributes of this
   * node.
   */
  public List<String> changing(NodeId node, String workerTag) {
    List<String> tags = new ArrayList<>();
    for (Made record : waiting.values()) {
      if (record.tag.startsWith(workerTag) && node.equals(changed(record.op))) {
        tags.add(record.tag);
      }
    }
    return tags;
  }

  /**
   * An fsync is answered. Every mutation that was in flight before it must have been answered
   * (6.5).
   *
   * @param before the result of {@link #changing} when the fsync was made
   */
  public void synced(NodeId node, List<String> before) {
    for (String tag : before) {
      Violation.unless(
          !waiting.containsKey(tag),
          "fsync of ",
          node,
          " was answered while ",
          tag,
          " was in flight");
    }
  }

  /** The worker has crashed: its callers are gone, so its mutations in flight get no answer. */
  public void abandoned(String workerTag) {
    for (Iterator<Made> each = waiting.values().iterator(); each.hasNext(); ) {
      if (each.next().tag.startsWith(workerTag)) {
        each.remove();
      }
    }
  }

  /** An entry has become durable. */
  void logged(LogEntry entry) {
    if (entry.agent().isEmpty()) {
      return; // made by the leader itself
    }
    Made record = all.get(entry.agent());
    Violation.unless(record != null, "entry ", entry.index(), " is of nobody: ", entry.agent());
    if (record == null) {
      return;
    }
    Violation.unless(
        record.loggedAt == 0,
        record.tag,
        " is in the log twice, as entries ",
        record.loggedAt,
        " and ",
        entry.index());
    record.loggedAt = entry.index();
    Violation.unless(
        record.errno != Errno.EINTR,
        record.tag,
        " is entry ",
        entry.index(),
        ", its caller was told that a signal had ended it");
    Violation.unless(
        entry.index() > record.madeAtIndex,
        record.tag,
        " is entry ",
        entry.index(),
        ", but entry ",
        record.madeAtIndex,
        " was durable before it was made");
    Violation.unless(
        record.errno == null || record.errno == Errno.EIO,
        record.tag,
        " (",
        record.op,
        ") was told ",
        record.errno,
        " and is entry ",
        entry.index(),
        " all the same");
  }

  /** Checks that no mutation has waited longer than its deadline allows. */
  public void checkDeadlines() {
    for (Made record : waiting.values()) {
      long waitedNs = clock.monotonicNs() - record.made.madeNs();
      if (waitedNs > longestWaitNs) {
        throw new Violation(
            record.tag
                + " ("
                + record.op
                + ") has been waiting for "
                + waitedNs / 1_000_000
                + " ms");
      }
      return; // in the order of submission: the first has waited longest
    }
  }

  /** Number of unanswered mutations. */
  public int waiting() {
    return waiting.size();
  }

  /** Tags of the unanswered mutations. */
  public List<String> waitingTags() {
    return new ArrayList<>(waiting.keySet());
  }

  /** Number of mutations that were answered with success. */
  public long committedCount() {
    return committed;
  }

  /** Number of mutations that were answered with an error other than EIO. */
  public long failedCount() {
    return failed;
  }

  /** Number of mutations that were answered with EIO. */
  public long unknownCount() {
    return unknown;
  }

  private LogChecker log() {
    LogChecker judge = log;
    if (judge == null) {
      throw new IllegalStateException("no log to judge by");
    }
    return judge;
  }

  private static @Nullable NodeId changed(FsOp op) {
    if (op instanceof FsOp.Write write) {
      return write.node();
    }
    if (op instanceof FsOp.Truncate truncate) {
      return truncate.node();
    }
    if (op instanceof FsOp.Allocate allocate) {
      return allocate.node();
    }
    if (op instanceof FsOp.CopyRange copy) {
      return copy.target();
    }
    return op instanceof FsOp.SetAttributes set ? set.node() : null;
  }

  private static boolean isByDescriptor(FsOp op) {
    return op instanceof FsOp.Write || op instanceof FsOp.Allocate || op instanceof FsOp.CopyRange;
  }

  private Made tell(String tag) {
    waiting.remove(tag);
    Made record = all.get(tag);
    if (record == null) {
      throw new Violation("an answer to " + tag + ", which nobody made");
    }
    Violation.unless(!record.told, tag, " (", record.op, ") was answered twice");
    record.told = true;
    return record;
  }
}
