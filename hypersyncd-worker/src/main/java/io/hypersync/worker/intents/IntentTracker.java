package io.hypersync.worker.intents;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.OpCodec;
import io.hypersync.model.state.FsState;
import io.hypersync.wire.agent.Entropy;
import io.hypersync.wire.message.LeaderMessage.ChunkNeed;
import io.hypersync.wire.message.LeaderMessage.CommitAck;
import io.hypersync.wire.message.LeaderMessage.IntentStatusResponse;
import io.hypersync.wire.message.LeaderMessage.RateLimited;
import io.hypersync.wire.message.NegotiatedParams;
import io.hypersync.wire.message.WorkerMessage.ChunkPut;
import io.hypersync.wire.message.WorkerMessage.IntentStatusRequest;
import io.hypersync.wire.message.WorkerMessage.SubmitIntent;
import io.hypersync.worker.coherence.DirectoryLocks;
import io.hypersync.worker.coherence.LocalCalls;
import io.hypersync.worker.port.LeaderLink;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Every mutation between its syscall and its end (hypersync.md 6.3, 6.4). Nothing is forgotten and
 * nothing is answered twice: a mutation leaves the table in the moment its caller is told.
 *
 * <p>A connection that breaks leaves mutations whose end is unknown. On the next one the leader is
 * asked what became of each, and what it has never heard of is sent again. Whatever is not known by
 * its deadline ends with EIO.
 *
 * <p>What the leader refuses for now (EAGAIN, RATE_LIMITED) is held here and sent again when {@link
 * Backoff} lets it, the oldest first; what is submitted meanwhile queues up behind it. Callers only
 * see that it takes longer.
 */
public final class IntentTracker implements LocalCalls {
  private static final byte[] NOTHING = {};
  private static final int EXPIRY_CHECKS = 64;
  private static final long NS_PER_MS = 1_000_000;

  private final LeaderLink link;
  private final ClientLanes lanes;
  private final Backoff backoff;
  private final long deadlineNs;
  private final Consumer<FinishedMutation> finished;
  private final Map<IntentId, PendingMutation> pending = new LinkedHashMap<>();
  private final Set<PendingMutation> resolved = new LinkedHashSet<>();

  /**
   * What the leader has not got: it has refused it, or says that it has never heard of it, or it
   * waits behind such. By their numbers.
   */
  private final TreeMap<Long, PendingMutation> held = new TreeMap<>();

  /** What the leader has been asked about on this connection, and has not answered. */
  private final Set<IntentId> asked = new HashSet<>();

  private final List<Barrier> barriers = new ArrayList<>();

  /** When the leader was asked what it knows; it had no chance to say anything before. */
  private long reconnectedNs = Long.MIN_VALUE / 2;

  private int inlineThreshold = NegotiatedParams.DEFAULT.inlineThreshold();
  private long submitted;
  private long nextExpiryNs;

  /** Waits for mutations on one node; see {@link #barrier}. */
  private record Barrier(NodeId node, Set<PendingMutation> waitingFor, WaitingCall call) {}

  /**
   * An empty table.
   *
   * @param entropy decides client ids, and how long a refused intent waits
   * @param deadlineNs MUTATION_DEADLINE in nanoseconds
   * @param finished told of every mutation that the leader has answered, after its caller
   */
  public IntentTracker(
      LeaderLink link, Entropy entropy, long deadlineNs, Consumer<FinishedMutation> finished) {
    this.link = link;
    this.lanes = new ClientLanes(entropy);
    this.backoff = new Backoff(entropy);
    this.deadlineNs = deadlineNs;
    this.finished = finished;
  }

  /** How many callers wait. */
  public int size() {
    return pending.size();
  }

  @Override
  public boolean isWaiting(IntentId intent) {
    return pending.containsKey(intent);
  }

  @Override
  public boolean isAnyWaiting() {
    return !pending.isEmpty() || !barriers.isEmpty();
  }

  @Override
  public boolean mayHold(NodeId directory, FsState state, IntentId except) {
    for (PendingMutation mutation : pending.values()) {
      if (mayHold(mutation.mutation().op(), directory, state) && !mutation.id().equals(except)) {
        return true;
      }
    }
    for (Barrier barrier : barriers) {
      if (barrier.node().equals(directory)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public boolean holds(NodeId directory, IntentId except) {
    for (PendingMutation mutation : pending.values()) {
      if (DirectoryLocks.holds(mutation.mutation().op(), directory)
          && !mutation.id().equals(except)) {
        return true;
      }
    }
    return false;
  }

  /** Sends a new mutation, or holds it behind others that are held; the link must be up. */
  public void submit(Mutation mutation, long nowNs) {
    IntentId id = lanes.next(mutation.caller());
    submitted++;
    PendingMutation waiting = new PendingMutation(submitted, id, mutation, nowNs + deadlineNs);
    boolean now = held.isEmpty() && maySend(nowNs);
    pending.put(id, waiting);
    if (now) {
      send(waiting, nowNs);
    } else {
      held.put(waiting.number(), waiting);
    }
  }

  /**
   * fsync (6.5): the call is ready when every mutation of this node that is in flight from here has
   * ended. One that has ended before is durable: its caller was told only then.
   *
   * @return whether there was nothing to wait for
   */
  public boolean barrier(NodeId node, WaitingCall call) {
    Set<PendingMutation> waitingFor = new LinkedHashSet<>();
    for (PendingMutation mutation : pending.values()) {
      if (touches(mutation.mutation().op(), node)) {
        waitingFor.add(mutation);
      }
    }
    if (waitingFor.isEmpty()) {
      call.ready().run();
      return true;
    }
    barriers.add(new Barrier(node, waitingFor, call));
    return false;
  }

  /** The leader's answer. */
  public void acknowledged(CommitAck ack, long appliedIndex, long nowNs) {
    PendingMutation mutation = pending.get(ack.intent());
    if (mutation == null || mutation.isResolved()) {
      return;
    }
    Errno errno = ack.errno();
    if (errno == Errno.EAGAIN) {
      hold(mutation, 0, nowNs); // the leader is busy; the application need not know (6.3.1)
      return;
    }
    backoff.taken();
    if (errno != null) {
      mutation.refused(errno, ack.asOfIndex());
    } else {
      mutation.acknowledged();
    }
    resolved.add(mutation);
    completeIfDone(mutation, appliedIndex);
  }

  /** The leader has not taken an intent, since this worker sends too many (12.5). */
  public void rateLimited(RateLimited limited, long nowNs) {
    PendingMutation mutation = pending.get(limited.intent());
    if (mutation != null && !mutation.isResolved()) {
      hold(mutation, limited.retryAfterMs() * NS_PER_MS, nowNs);
    }
  }

  /** What the leader knows of a mutation that was in flight when a connection broke. */
  public void status(IntentStatusResponse response, long appliedIndex) {
    asked.remove(response.intent());
    PendingMutation mutation = pending.get(response.intent());
    if (mutation == null || mutation.isResolved()) {
      return;
    }
    switch (response.status()) {
      case COMMITTED -> {
        mutation.acknowledged();
        resolved.add(mutation);
        completeIfDone(mutation, appliedIndex);
      }
      case NOT_FOUND -> held.put(mutation.number(), mutation);
      case IN_FLIGHT -> {
        // Its CommitAck will come over this connection, and a ChunkNeed if chunks got lost with the
        // old one. Sending it again could make an intent of what has just been refused.
      }
    }
  }

  /** The leader wants bytes that it was thought to have, or that got lost (9.3.1). */
  public void chunksNeeded(ChunkNeed need) {
    PendingMutation mutation = pending.get(need.intent());
    if (mutation != null) {
      upload(mutation, need.missing());
    }
  }

  /** When the mutation of this intent was where, or null if nobody here waits for it. */
  public @Nullable MutationTimes times(IntentId intent) {
    PendingMutation mutation = pending.get(intent);
    return mutation == null ? null : mutation.mutation().times();
  }

  /** An entry has become visible here. */
  public void applied(LogEntry entry, FsState after) {
    PendingMutation mutation = pending.get(entry.intent());
    if (mutation != null) {
      mutation.applied(entry, after);
      resolved.add(mutation);
    }
  }

  /** Tells every caller whose wait is over. */
  public void completeDone(long appliedIndex) {
    if (resolved.isEmpty()) {
      return;
    }
    for (PendingMutation mutation : List.copyOf(resolved)) {
      completeIfDone(mutation, appliedIndex);
    }
  }

  /**
   * A new connection is up: asks what became of everything unresolved. Of what is held here the
   * leader has nothing. Until all is answered nothing is sent, so that what the leader has never
   * heard of goes in its old order, and before what has been submitted since.
   */
  public void reconnected(long nowNs) {
    reconnectedNs = nowNs;
    backoff.reconnected();
    asked.clear();
    for (PendingMutation mutation : pending.values()) {
      if (!mutation.isResolved() && !isHeld(mutation)) {
        asked.add(mutation.id());
        link.send(new IntentStatusRequest(mutation.id()));
      }
    }
  }

  /** Sends what is held, as far as the leader can be expected to take it. It must be in touch. */
  public void retry(long nowNs) {
    if (held.isEmpty()) {
      return;
    }
    while (!held.isEmpty() && maySend(nowNs)) {
      PendingMutation mutation = held.firstEntry().getValue();
      if (mutation.deadlineNs() - nowNs <= 0) {
        end(mutation, Errno.EIO); // it has not happened, and must not after its caller was told
        continue;
      }
      held.remove(mutation.number());
      sendAgain(mutation, nowNs);
    }
    if (held.isEmpty()) {
      backoff.over();
    }
  }

  /** Whether a request waits for the leader, or for mutations that do. */
  public boolean isWaiting(long unique) {
    for (PendingMutation mutation : pending.values()) {
      if (mutation.mutation().unique() == unique) {
        return true;
      }
    }
    for (Barrier barrier : barriers) {
      if (barrier.call().unique() == unique) {
        return true;
      }
    }
    return false;
  }

  /**
   * The caller of a request is about to end. What is held here is not committed, and ends with
   * EINTR; what was sent and not answered goes on, for nobody knows. An fsync ends.
   *
   * @return whether something ended
   */
  public boolean interrupt(long unique) {
    for (PendingMutation mutation : held.values()) {
      if (mutation.mutation().unique() == unique) {
        end(mutation, Errno.EINTR);
        return true;
      }
    }
    for (Barrier barrier : barriers) {
      if (barrier.call().unique() == unique) {
        barriers.remove(barrier);
        barrier.call().interrupted().run();
        return true;
      }
    }
    return false;
  }

  /**
   * Ends what has waited for too long (6.4): with success if it turns out to be in the log, else
   * with EIO, for nobody knows.
   *
   * @return about how many mutations the leader has said nothing, though it had half the time to
   */
  public int expire(long nowNs) {
    if (pending.isEmpty() || nowNs - nextExpiryNs < 0) {
      return 0;
    }
    nextExpiryNs = nowNs + deadlineNs / EXPIRY_CHECKS;
    List<PendingMutation> late = new ArrayList<>();
    for (PendingMutation mutation : pending.values()) {
      if (mutation.deadlineNs() - nowNs <= 0) {
        late.add(mutation);
      }
    }
    // What is submitted waits for these answers, so it would never be sent.
    int silent = hadTimeSince(reconnectedNs, nowNs) ? asked.size() : 0;
    for (PendingMutation mutation : late) {
      silent += isUnanswered(mutation, nowNs) ? 1 : 0;
      lanes.retire(mutation.mutation().caller());
      end(mutation, Errno.EIO);
    }
    return silent;
  }

  /** Ends everything: the worker stops, or will never apply again. */
  public void failAll(Errno errno) {
    List.copyOf(pending.values()).forEach(mutation -> end(mutation, errno));
  }

  private void end(PendingMutation mutation, Errno errno) {
    forget(mutation);
    if (!mutation.completeIfApplied()) {
      mutation.mutation().completion().failed(errno);
    }
    passBarriers(mutation);
  }

  private void completeIfDone(PendingMutation mutation, long appliedIndex) {
    if (mutation.completeIfDone(appliedIndex)) {
      forget(mutation);
      finished.accept(mutation.finished());
      passBarriers(mutation);
    }
  }

  private void forget(PendingMutation mutation) {
    pending.remove(mutation.id());
    resolved.remove(mutation);
    held.remove(mutation.number());
  }

  /** The leader knows nothing of it, so until it is sent again it cannot happen. */
  private void hold(PendingMutation mutation, long retryAfterNs, long nowNs) {
    mutation.refusedForNow();
    held.put(mutation.number(), mutation);
    backoff.refused(retryAfterNs, underway(), nowNs);
  }

  private boolean isHeld(PendingMutation mutation) {
    return held.containsKey(mutation.number());
  }

  private boolean isUnanswered(PendingMutation mutation, long nowNs) {
    return !mutation.isResolved()
        && !isHeld(mutation)
        && !asked.contains(mutation.id())
        && hadTimeSince(Math.max(mutation.sentNs(), reconnectedNs), nowNs);
  }

  private boolean hadTimeSince(long sinceNs, long nowNs) {
    return nowNs - sinceNs >= deadlineNs / 2;
  }

  private boolean maySend(long nowNs) {
    return asked.isEmpty() && backoff.maySend(underway(), nowNs);
  }

  /** How many intents the leader has, or is being sent. */
  private int underway() {
    return pending.size() - held.size() - resolved.size();
  }

  private void passBarriers(PendingMutation mutation) {
    for (Iterator<Barrier> all = barriers.iterator(); all.hasNext(); ) {
      Barrier barrier = all.next();
      barrier.waitingFor().remove(mutation);
      if (barrier.waitingFor().isEmpty()) {
        all.remove();
        barrier.call().ready().run();
      }
    }
  }

  /**
   * Sends what the leader has never taken: it says so itself, by NOT_FOUND, EAGAIN or RATE_LIMITED,
   * or it has never been sent it. If its caller has made another call since, that one may be in the
   * log already: then it gets a new id behind that one's, for intents of one client are committed
   * in the order of their numbers (6.3.1). Nothing of the old id is left at the leader that could
   * come later: it was lost with its connection, or refused without a trace.
   */
  private void sendAgain(PendingMutation mutation, long nowNs) {
    int caller = mutation.mutation().caller();
    if (!lanes.isNewest(caller, mutation.id())) {
      pending.remove(mutation.id());
      mutation.renamed(lanes.next(caller));
      pending.put(mutation.id(), mutation);
    }
    send(mutation, nowNs);
  }

  private void send(PendingMutation mutation, long nowNs) {
    mutation.sent(nowNs);
    Mutation wanted = mutation.mutation();
    // What was refused is not uploaded twice: the leader asks for what it has not got of it.
    boolean uploads = !isInline(mutation) && !mutation.wasRefusedBefore();
    List<Hash> uploading = uploads ? wanted.uploading() : List.of();
    link.send(
        new SubmitIntent(
            mutation.id(),
            wanted.agent(),
            OpCodec.encode(wanted.op()),
            isInline(mutation) ? concatenated(wanted.chunks()) : NOTHING,
            uploading));
    upload(mutation, uploading);
  }

  private void upload(PendingMutation mutation, List<Hash> hashes) {
    Set<Hash> left = new LinkedHashSet<>(hashes);
    for (Chunk chunk : mutation.mutation().chunks()) {
      if (left.remove(chunk.hash())) {
        link.send(new ChunkPut(mutation.id(), chunk.hash(), chunk.bytes()));
      }
    }
  }

  /** Payloads up to so many bytes travel in their intent from now on, as the leader wants it. */
  public void inlineUpTo(int bytes) {
    inlineThreshold = bytes;
  }

  private boolean isInline(PendingMutation mutation) {
    long bytes = 0;
    for (Chunk chunk : mutation.mutation().chunks()) {
      bytes += chunk.bytes().length;
    }
    return bytes <= inlineThreshold;
  }

  private static byte[] concatenated(List<Chunk> chunks) {
    if (chunks.size() == 1) {
      return chunks.getFirst().bytes();
    }
    int length = chunks.stream().mapToInt(chunk -> chunk.bytes().length).sum();
    byte[] all = new byte[length];
    int at = 0;
    for (Chunk chunk : chunks) {
      System.arraycopy(chunk.bytes(), 0, all, at, chunk.bytes().length);
      at += chunk.bytes().length;
    }
    return all;
  }

  /**
   * Whether an unanswered call that makes this change may have the kernel's lock of the directory,
   * be it for itself alone or as any node that is changed.
   */
  static boolean mayHold(FsOp op, NodeId directory, FsState state) {
    return touches(op, directory) || DirectoryLocks.mayHold(op, directory, state);
  }

  /** Whether the op changes this node, or an entry of this directory. */
  public static boolean touches(FsOp op, NodeId node) {
    return DirectoryLocks.holds(op, node)
        || switch (op) {
          case FsOp.Link made -> made.node().equals(node);
          case FsOp.LinkTemporary made -> made.node().equals(node);
          case FsOp.Write write -> write.node().equals(node);
          case FsOp.Truncate truncate -> truncate.node().equals(node);
          case FsOp.SetAttributes set -> set.node().equals(node);
          case FsOp.SetXattr set -> set.node().equals(node);
          case FsOp.RemoveXattr remove -> remove.node().equals(node);
          case FsOp.ReapOrphans reap -> reap.nodes().contains(node);
          case FsOp.Allocate allocate -> allocate.node().equals(node);
          case FsOp.CopyRange copy -> copy.target().equals(node);
          case FsOp.CreateFile _,
              FsOp.MakeDir _,
              FsOp.MakeSymlink _,
              FsOp.MakeNode _,
              FsOp.MakeTemporary _,
              FsOp.Unlink _,
              FsOp.RemoveDir _,
              FsOp.Rename _ ->
              false;
        };
  }
}
