package io.hypersync.worker.intents;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.OpCodec;
import io.hypersync.model.state.FsState;
import io.hypersync.runtime.agent.Entropy;
import io.hypersync.wire.message.LeaderMessage.ChunkNeed;
import io.hypersync.wire.message.LeaderMessage.CommitAck;
import io.hypersync.wire.message.LeaderMessage.Committed;
import io.hypersync.wire.message.LeaderMessage.IntentStatusResponse;
import io.hypersync.wire.message.LeaderMessage.RateLimited;
import io.hypersync.wire.message.NegotiatedParams;
import io.hypersync.wire.message.WorkerMessage.ChunkPut;
import io.hypersync.wire.message.WorkerMessage.IntentStatusRequest;
import io.hypersync.wire.message.WorkerMessage.SubmitIntent;
import io.hypersync.worker.coherence.DirectoryLocks;
import io.hypersync.worker.coherence.LocalCalls;
import io.hypersync.worker.fuse.protocol.RequestId;
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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tracks every mutation from its submission to its outcome (hypersync.md 6.3, 6.4). Each caller is
 * answered exactly once: a mutation leaves the table at the moment its caller is answered.
 *
 * <p>A broken connection leaves mutations with unknown outcomes. On the next connection the leader
 * is asked for the status of each, and what it has never received is sent again. A mutation whose
 * outcome is unknown at its deadline ends with EIO.
 *
 * <p>What the leader refuses for now (EAGAIN, RATE_LIMITED) is held here and sent again when {@link
 * Backoff} allows it, oldest first; what is submitted meanwhile queues behind it. Callers only
 * notice that it takes longer.
 *
 * <p>Single-threaded: the agent's thread.
 */
public final class IntentTracker implements LocalCalls {
  private static final byte[] NOTHING = {};
  private static final int EXPIRY_CHECKS = 64;
  private static final long NS_PER_MS = 1_000_000;

  private final LeaderLink link;
  private final CallerClientIds clientIds;
  private final Backoff backoff;
  private final long deadlineNs;
  private final Consumer<FinishedMutation> finished;
  private final Map<IntentId, PendingMutation> pending = new LinkedHashMap<>();
  private final Set<PendingMutation> resolved = new LinkedHashSet<>();

  /**
   * Mutations that the leader does not have, by their numbers: it refused them, or answered
   * NOT_FOUND, or they are queued behind such mutations.
   */
  private final TreeMap<Long, PendingMutation> held = new TreeMap<>();

  /** Intents whose status was asked for on this connection and not answered yet. */
  private final Set<IntentId> asked = new HashSet<>();

  private final List<Barrier> barriers = new ArrayList<>();

  /**
   * When the status requests of this connection were sent (monotonic); silence of the leader before
   * then does not count.
   */
  private long reconnectedNs = Long.MIN_VALUE / 2;

  /** Null if no other process could ever go on with what this one has under way. */
  private @Nullable RequestIdentities identities;

  /** Null if this process is the first one that serves its mount. */
  private @Nullable EarlierCommits earlier;

  private int inlineThreshold = NegotiatedParams.DEFAULT.inlineThreshold();
  private long submitted;
  private long nextExpiryNs;
  private boolean awaitsAcks;

  /** An fsync that waits for mutations of one node; see {@link #awaitInFlight}. */
  private record Barrier(NodeId node, Set<PendingMutation> waitingFor, WaitingCall call) {}

  /**
   * Creates an empty table.
   *
   * @param entropy decides client ids, and how long a refused intent waits
   * @param deadlineNs MUTATION_DEADLINE in nanoseconds
   * @param finished called with every mutation that the leader has decided, after its caller was
   *     answered
   */
  public IntentTracker(
      LeaderLink link, Entropy entropy, long deadlineNs, Consumer<FinishedMutation> finished) {
    this.link = link;
    this.clientIds = new CallerClientIds(entropy);
    this.backoff = new Backoff(entropy);
    this.deadlineNs = deadlineNs;
    this.finished = finished;
  }

  /**
   * From now on intents get ids by which another process finds them that serves the mount after
   * this one. To be called before the first mutation.
   *
   * @param mount the mount's random id
   */
  public void identifyBy(ClientId mount) {
    identities = new RequestIdentities(mount);
  }

  /**
   * Whether acks wait for other workers to show their entries. If so, no caller is told of success
   * without one, not even at its deadline: others might not see it yet.
   */
  public void awaitAcks(boolean mayWaitForOthers) {
    awaitsAcks = mayWaitForOthers;
  }

  /**
   * Another process has served the mount before: what it has had committed is found by its intent
   * id, and not committed again. To be called before the first entry is visible.
   *
   * @param start the entry with whose state this process begins
   * @param visible the newest visible state
   */
  public void goOn(WorkerId worker, long start, Supplier<FsState> visible) {
    earlier = new EarlierCommits(worker, start, visible);
  }

  /** The number of mutations whose callers wait. */
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

  /** Sends a new mutation, or queues it behind others that are held. The link must be up. */
  public void submit(Mutation mutation, long nowNs) {
    RequestIdentities stable = identities;
    IntentId id =
        stable != null && RequestIdentities.has(mutation.unique())
            ? stable.next(mutation.unique(), mutation.caller(), mutation.op())
            : clientIds.next(mutation.caller());
    submitted++;
    PendingMutation waiting = new PendingMutation(submitted, id, mutation, nowNs + deadlineNs);
    LogEntry done = earlier == null ? null : earlier.take(id);
    if (earlier != null && done != null) {
      // It is durable, and visible here. The leader is asked all the same: it may hold its answer
      // back until others show it, too.
      waiting.applied(done, earlier.state());
    }
    boolean now = held.isEmpty() && maySend(nowNs);
    pending.put(id, waiting);
    if (now) {
      send(waiting, nowNs);
    } else {
      held.put(waiting.number(), waiting);
    }
  }

  /**
   * Answers fsync (6.5): runs {@code call.ready()} once every mutation of this node that is in
   * flight from here has ended. A mutation that has ended before is durable: its caller was
   * answered only then.
   *
   * @return whether there was nothing to wait for, so that {@code call.ready()} has been run
   */
  public boolean awaitInFlight(NodeId node, WaitingCall call) {
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

  /** Handles the leader's answer to an intent. */
  public void acknowledged(CommitAck ack, long settledIndex, long nowNs) {
    PendingMutation mutation = pending.get(ack.intent());
    if (mutation == null || mutation.isResolved()) {
      return;
    }
    Errno errno = ack.errno();
    if (errno == Errno.EAGAIN) {
      hold(mutation, 0, nowNs); // the leader is busy; retried, unseen by the application (6.3.1)
      return;
    }
    backoff.taken();
    if (errno != null) {
      mutation.refused(errno, ack.asOfIndex());
    } else {
      acknowledged(mutation, ack.committed());
    }
    resolved.add(mutation);
    completeIfDone(mutation, settledIndex);
  }

  private void acknowledged(PendingMutation mutation, @Nullable Committed place) {
    mutation.acknowledged();
    LogEntry before =
        earlier == null ? null : earlier.before(mutation.id(), place, mutation.mutation());
    if (earlier != null && before != null) {
      mutation.applied(before, earlier.state());
    }
  }

  /** Handles the leader's refusal of an intent because this worker sends too many (12.5). */
  public void rateLimited(RateLimited limited, long nowNs) {
    PendingMutation mutation = pending.get(limited.intent());
    if (mutation != null && !mutation.isResolved()) {
      hold(mutation, limited.retryAfterMs() * NS_PER_MS, nowNs);
    }
  }

  /** Handles the leader's status of a mutation that was in flight when a connection broke. */
  public void status(IntentStatusResponse response, long settledIndex) {
    asked.remove(response.intent());
    PendingMutation mutation = pending.get(response.intent());
    if (mutation == null || mutation.isResolved()) {
      return;
    }
    switch (response.status()) {
      case COMMITTED -> {
        acknowledged(mutation, response.committed());
        resolved.add(mutation);
        completeIfDone(mutation, settledIndex);
      }
      case NOT_FOUND -> held.put(mutation.number(), mutation);
      case IN_FLIGHT -> {
        // Its CommitAck will come over this connection, and a ChunkNeed if chunks got lost with the
        // old one. Sending it again could submit anew an intent that the leader has just refused.
      }
    }
  }

  /** Uploads chunks that the leader was assumed to have, or that got lost (9.3.1). */
  public void chunksNeeded(ChunkNeed need) {
    PendingMutation mutation = pending.get(need.intent());
    if (mutation != null) {
      upload(mutation, need.missing());
    }
  }

  /** Tells of the chunks of all mutations that are under way. */
  public void forEachChunk(Consumer<Hash> chunk) {
    for (PendingMutation mutation : pending.values()) {
      mutation.mutation().chunks().forEach(each -> chunk.accept(each.hash()));
    }
  }

  /**
   * The payload of an entry that the leader sends without it. It is there as long as the caller
   * waits: a caller is answered behind its entry, unless its call is given up.
   *
   * @return not to be changed; null if no caller here waits for this intent, or its chunks are not
   *     those of the entry
   */
  public byte @Nullable [] payload(LogEntry entry) {
    PendingMutation mutation = pending.get(entry.intent());
    return mutation != null && hasChunks(mutation, entry.op().chunks())
        ? concatenated(mutation.mutation().chunks())
        : null;
  }

  private static boolean hasChunks(PendingMutation mutation, List<ChunkRef> wanted) {
    List<Chunk> chunks = mutation.mutation().chunks();
    if (chunks.size() != wanted.size()) {
      return false;
    }
    for (int i = 0; i < chunks.size(); i++) {
      if (!chunks.get(i).ref().equals(wanted.get(i))) {
        return false;
      }
    }
    return true;
  }

  /** The timestamps of this intent's mutation, or null if no caller here waits for it. */
  public @Nullable MutationTimestamps times(IntentId intent) {
    PendingMutation mutation = pending.get(intent);
    return mutation == null ? null : mutation.mutation().times();
  }

  /**
   * Records that an entry has become visible here; its caller is answered by {@link #completeDone}.
   */
  public void applied(LogEntry entry, FsState after) {
    PendingMutation mutation = pending.get(entry.intent());
    if (mutation != null) {
      mutation.applied(entry, after);
      resolved.add(mutation);
    } else if (earlier != null) {
      earlier.shown(entry);
    }
  }

  /** Answers every caller whose outcome is decided and visible. */
  public void completeDone(long settledIndex) {
    if (resolved.isEmpty()) {
      return;
    }
    for (PendingMutation mutation : List.copyOf(resolved)) {
      completeIfDone(mutation, settledIndex);
    }
  }

  /**
   * Handles a new connection, once everything committed at its Welcome is visible here: asks for
   * the status of every mutation that is still unresolved, except those held here, which the leader
   * does not have. Nothing is sent until all are answered, so that what the leader has never
   * received is sent in its old order, and before what has been submitted since.
   *
   * <p>What another leader has answered is asked again if it is not visible even now: that leader
   * has taken its last entries along, and no caller was told of them.
   *
   * @param visibleIndex the newest index that is visible here
   */
  public void reconnected(long visibleIndex, long nowNs) {
    reconnectedNs = nowNs;
    backoff.reconnected();
    asked.clear();
    for (PendingMutation mutation : pending.values()) {
      if (mutation.isOfLostEntry(visibleIndex)) {
        mutation.unanswered();
        resolved.remove(mutation);
      }
      if (!mutation.isResolved() && !isHeld(mutation)) {
        asked.add(mutation.id());
        link.send(new IntentStatusRequest(mutation.id()));
      }
    }
  }

  /** Sends held mutations, oldest first, as far as {@link Backoff} allows. The link must be up. */
  public void retry(long nowNs) {
    if (held.isEmpty()) {
      return;
    }
    while (!held.isEmpty() && maySend(nowNs)) {
      PendingMutation mutation = held.firstEntry().getValue();
      if (mutation.deadlineNs() - nowNs <= 0) {
        end(mutation, Errno.EIO); // not in the log, and must not be once its caller is answered
        continue;
      }
      held.remove(mutation.number());
      sendAgain(mutation, nowNs);
    }
    if (held.isEmpty()) {
      backoff.over();
    }
  }

  /** Whether a request waits for the leader, or for mutations that wait for it. */
  public boolean isWaiting(RequestId unique) {
    for (PendingMutation mutation : pending.values()) {
      if (mutation.mutation().unique().equals(unique)) {
        return true;
      }
    }
    for (Barrier barrier : barriers) {
      if (barrier.call().unique().equals(unique)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Gives up a request whose caller is about to end. A mutation held here is not committed and ends
   * with EINTR; one that was sent and not answered goes on, since its outcome is unknown. An fsync
   * ends.
   *
   * @return whether something ended
   */
  public boolean interrupt(RequestId unique) {
    for (PendingMutation mutation : held.values()) {
      if (mutation.mutation().unique().equals(unique)) {
        end(mutation, Errno.EINTR);
        return true;
      }
    }
    for (Barrier barrier : barriers) {
      if (barrier.call().unique().equals(unique)) {
        barriers.remove(barrier);
        barrier.call().interrupted().run();
        return true;
      }
    }
    return false;
  }

  /**
   * Ends mutations past their deadline (6.4): with success if the entry is already visible here,
   * and that is all that is promised ({@link #awaitAcks}); else with EIO, since the outcome is
   * unknown.
   *
   * @return the number of requests on which the leader has been silent for half the deadline or
   *     longer; approximate
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
    // New mutations wait for these status answers, so without them they would never be sent.
    int silent = hadTimeSince(reconnectedNs, nowNs) ? asked.size() : 0;
    for (PendingMutation mutation : late) {
      silent += isUnanswered(mutation, nowNs) ? 1 : 0;
      clientIds.retire(mutation.mutation().caller());
      end(mutation, Errno.EIO);
    }
    return silent;
  }

  /**
   * Ends every mutation with EIO: its entry, if there is one, will not be seen here. The next
   * mutation of each caller does not wait for what the leader still has of these.
   */
  public void giveUpAll() {
    pending.values().forEach(mutation -> clientIds.retire(mutation.mutation().caller()));
    failAll(Errno.EIO);
  }

  /** Ends the mutations of these nodes with EIO, as {@link #giveUpAll} does all. */
  void giveUp(Set<NodeId> nodes) {
    for (PendingMutation mutation : List.copyOf(pending.values())) {
      if (nodes.stream().anyMatch(node -> touches(mutation.mutation().op(), node))) {
        clientIds.retire(mutation.mutation().caller());
        end(mutation, Errno.EIO);
      }
    }
  }

  /** Ends every mutation: the worker stops, or will never apply again. */
  public void failAll(Errno errno) {
    List.copyOf(pending.values()).forEach(mutation -> end(mutation, errno));
  }

  private void end(PendingMutation mutation, Errno errno) {
    forget(mutation);
    boolean mayTell = !awaitsAcks || mutation.isResolved();
    if (!mayTell || !mutation.completeIfApplied()) {
      mutation.mutation().completion().failed(errno);
    }
    passBarriers(mutation);
  }

  private void completeIfDone(PendingMutation mutation, long settledIndex) {
    if (mutation.completeIfDone(settledIndex)) {
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

  /**
   * Holds a mutation that the leader refused without a trace: until it is sent again it cannot
   * happen.
   */
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

  /** The number of intents in flight to the leader. */
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
   * Sends a mutation that the leader has never taken: it said so itself, by NOT_FOUND, EAGAIN or
   * RATE_LIMITED, or was never sent it. If the caller has made another call since, that call may be
   * in the log already; then this mutation gets a new id behind that one's, because intents of one
   * client are committed in the order of their numbers (6.3.1). The old id cannot be committed
   * later: it was lost with its connection, or refused without a trace.
   *
   * <p>An id that follows from the kernel's request stays: the leader takes the intents of a client
   * in the order in which they come, and the caller has made no other call since, for it waits for
   * this one. (Several requests of one call, as of asynchronous I/O, have no order among them.)
   */
  private void sendAgain(PendingMutation mutation, long nowNs) {
    int caller = mutation.mutation().caller();
    boolean isStable = identities != null && RequestIdentities.has(mutation.mutation().unique());
    if (!isStable && !clientIds.isNewest(caller, mutation.id())) {
      pending.remove(mutation.id());
      mutation.renamed(clientIds.next(caller));
      pending.put(mutation.id(), mutation);
    }
    send(mutation, nowNs);
  }

  private void send(PendingMutation mutation, long nowNs) {
    mutation.sent(nowNs);
    Mutation wanted = mutation.mutation();
    // After a refusal chunks are not uploaded again: the leader asks for those that it lacks.
    boolean uploads = !isInline(mutation) && !mutation.wasRefusedBefore();
    List<Hash> uploading = uploads ? wanted.uploading() : List.of();
    link.send(
        new SubmitIntent(
            mutation.id(),
            wanted.agent(),
            OpCodec.encode(wanted.op()),
            isInline(mutation) ? concatenated(wanted.chunks()) : NOTHING,
            uploading,
            wanted.context(),
            wanted.lockSession()));
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

  /** Sets the largest payload, in bytes, that travels inside its intent; the leader decides it. */
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
   * Whether an unanswered call with this op may hold the kernel's lock of the directory:
   * exclusively, as for a change of its names, or as the node that the op changes.
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
          case FsOp.RestoreState _ -> true;
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
