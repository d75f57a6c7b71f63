package io.hypersync.leader.sequencer;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.VerifiedChunks;
import io.hypersync.leader.LeaderConfig;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.port.ChunkPort;
import io.hypersync.leader.quota.Quota;
import io.hypersync.leader.quota.QuotaViolations;
import io.hypersync.leader.session.TailCache;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.hazard.Author;
import io.hypersync.model.hazard.CallContext;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.invariant.Invariant;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.OpCodec;
import io.hypersync.model.undo.UndoAgent;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.LeaderMessage.ChunkNeed;
import io.hypersync.wire.message.LeaderMessage.CommitAck;
import io.hypersync.wire.message.LeaderMessage.Committed;
import io.hypersync.wire.message.LeaderMessage.IntentStatusResponse;
import io.hypersync.wire.message.LeaderMessage.IntentStatusResponse.Status;
import io.hypersync.wire.message.LeaderMessage.RateLimited;
import io.hypersync.wire.message.Protocol;
import io.hypersync.wire.message.WorkerMessage.ChunkPut;
import io.hypersync.wire.message.WorkerMessage.SubmitIntent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes intents, makes sure that each is committed at most once (hypersync.md 8.2) and only with
 * all its bytes (9.3), and answers when the answer is durable (6.3). Used on the agent's thread
 * only.
 *
 * <p>At most once, because every intent passes these checks in order, on one thread: is it in the
 * log; is it decided and waiting for the disk; is it waiting for chunks; may it have been committed
 * so long ago that the index has forgotten it ({@link ForgottenIntents}). Only an intent that is
 * none of these goes on.
 *
 * <p>A chunk counts as present if it was stored, or read and compared with its hash, a short while
 * ago. Any other chunk in the store is verified off this thread; if it cannot be read, the worker
 * is asked for it, because the worker has the bytes.
 *
 * <p>A new intent must then be admitted ({@link IntentAdmission}): a worker that has its share of
 * intents waiting (EAGAIN, 6.3.1), or sends too fast (RATE_LIMITED, 12.5), must send it again
 * later.
 */
public final class IntentHandler {
  private static final Logger LOG = LoggerFactory.getLogger(IntentHandler.class);
  private static final int MAX_PER_SLICE = 1_000;
  private static final int MAX_REFUSED_EARLY = 256;
  private static final byte[] NOTHING = {};

  /** How many chunks, up to 1 GiB of them, are remembered as verified. */
  private static final int MAX_VERIFIED = 16_384;

  /** How long a chunk counts as verified. */
  private static final long VERIFIED_NS = 60_000_000_000L;

  /** How many chunks, up to 1 GiB of them, are kept for intents that have not come. */
  private static final int MAX_UPLOADED = 16_384;

  /** How long they are kept: a worker sends an intent and its chunks at the same time. */
  private static final long UPLOADED_NS = 60_000_000_000L;

  /** The origin of the leader's own entries; no worker has this name. */
  public static final WorkerId LEADER = new WorkerId("hypersync-leader");

  private static final Author OWN = new Author("", LEADER);

  private final LeaderConfig config;
  private final Sequencer sequencer;
  private final OpLog log;
  private final ChunkPort chunks;
  private final TailCache tail;
  private final BiConsumer<WorkerId, LeaderMessage> sender;
  private final BiConsumer<WorkerId, LogEntry> sequenced;
  private final Clock clock;
  private final CommitListener listener;
  private final IntentQueue queue = new IntentQueue();

  /** By worker, so that no worker can evict another one's early refusals. */
  private final Map<WorkerId, Map<IntentId, Errno>> refusedEarly = new HashMap<>();

  private final ForgottenIntents forgotten = new ForgottenIntents();
  private final QuotaViolations violations;
  private final AckQueue acks = new AckQueue();
  private final VerifiedChunks verified = new VerifiedChunks(MAX_VERIFIED, VERIFIED_NS);
  private final UploadedChunks uploaded = new UploadedChunks(MAX_UPLOADED, UPLOADED_NS);

  /** Chunks that are being read and compared with their hashes. */
  private final Set<Hash> verifying = new HashSet<>();

  /** Chunks that could not be read, until they are stored again. */
  private final Map<Hash, Boolean> unreadable = new BoundedMap<>(MAX_VERIFIED);

  /** Which intents may not be committed because locks were lost that they were made under. */
  private final LockFence fence;

  /** Names the chunks of the leader's own ops that wait. */
  private Consumer<Consumer<Hash>> ownWaiting = _ -> {};

  private AckGate gate = AckGate.OPEN;
  private final IntentAdmission admission;
  private final ClientId ownClient;
  private long ownSeqNo;
  private long deduplicated;

  /**
   * Starts with no intents.
   *
   * @param ownClient the leader's own client id in this run
   * @param sender sends to the session of a worker; does nothing if it has none
   * @param sequenced called with the worker and the entry that its intent has become, not durable
   *     yet; the worker is {@link #LEADER} for the leader's own
   * @param clock for the timestamps that {@code listener} gets, and the age of verified chunks
   * @param violations counts what exceeded a quota
   * @param fence is asked when an intent's turn has come
   */
  public IntentHandler(
      LeaderConfig config,
      Sequencer sequencer,
      OpLog log,
      ChunkPort chunks,
      TailCache tail,
      ClientId ownClient,
      BiConsumer<WorkerId, LeaderMessage> sender,
      BiConsumer<WorkerId, LogEntry> sequenced,
      Clock clock,
      CommitListener listener,
      QuotaViolations violations,
      LockFence fence) {
    this.fence = fence;
    this.violations = violations;
    this.config = config;
    this.admission = new IntentAdmission(config, queue, acks, violations);
    this.sequencer = sequencer;
    this.log = log;
    this.chunks = chunks;
    this.tail = tail;
    this.ownClient = ownClient;
    this.sender = sender;
    this.sequenced = sequenced;
    this.clock = clock;
    this.listener = listener;
  }

  /**
   * Sequences an op of the leader's own, without waiting for the disk.
   *
   * @return null, or why the op was refused
   */
  public @Nullable Errno submitOwn(FsOp op) {
    return switch (sequenceOwn(op)) {
      case Sequencer.Result.Refused(Errno errno) -> errno;
      case Sequencer.Result.Sequenced _ -> null;
    };
  }

  /**
   * Sequences an op of the leader's own, without waiting for the disk. Whoever made it has read its
   * chunks. The store is asked for them once more, because they may be gone since: no entry may
   * mention what nobody has.
   *
   * @return EIO if one of them is gone or was found damaged, another errno if the store cannot say,
   *     else what the sequencer says
   */
  public Sequencer.Result sequenceOwn(FsOp op) {
    return sequenceOwn(op, OWN);
  }

  /**
   * The same for an op that the entry is to name somebody for.
   *
   * @param agent for the entry; at most {@link LogEntry#MAX_AGENT_BYTES}
   */
  public Sequencer.Result sequenceOwn(FsOp op, String agent) {
    return sequenceOwn(op, new Author(agent, LEADER));
  }

  private Sequencer.Result sequenceOwn(FsOp op, Author author) {
    Errno lacking = lacking(op);
    if (lacking != null) {
      return new Sequencer.Result.Refused(lacking);
    }
    ownSeqNo++;
    IntentId id = new IntentId(ownClient, ownSeqNo);
    Sequencer.Result result = sequencer.sequence(id, author, CallContext.NONE, op, NOTHING);
    if (result instanceof Sequencer.Result.Sequenced(LogEntry entry, byte[] encoded)) {
      tail.add(encoded, log.durableIndex());
      sequenced.accept(LEADER, entry);
    }
    return result;
  }

  /**
   * A Hello was accepted.
   *
   * @param isNew no leader has ever welcomed this run of the worker
   */
  public void established(WorkerId worker, ClientId run, boolean isNew) {
    forgotten.established(worker, run, isNew, sequencer.headIndex());
  }

  /**
   * A worker has reported its visible index.
   *
   * @return whether its connection must be closed, so that it asks again and gets an answer
   */
  public boolean reported(WorkerId worker, long visibleIndex) {
    return forgotten.reported(worker, visibleIndex, sequencer.intents().forgottenThrough());
  }

  /**
   * Handles an intent from a worker: answers it, refuses it, or queues it until its chunks are
   * verified and its turn has come.
   */
  public void submit(WorkerId worker, SubmitIntent submit, long nowNs) {
    IntentId id = submit.intent();
    if (isForeign(worker, id)) {
      LOG.debug("worker {} used the client id of another worker: {}", worker, id);
      violations.add(Quota.FOREIGN_INTENTS, worker);
      refuseAtOnce(worker, id, Errno.EPERM);
      return;
    }
    if (answerIfCommitted(worker, id)) {
      deduplicated++;
      return;
    }
    PendingIntent pending = queue.find(id);
    if (pending != null) {
      deduplicated++;
      pending.touch(nowNs);
      requestMissing(worker, pending, admission.uploading(submit, worker, nowNs));
      return;
    }
    if (mayBeForgotten(worker)) {
      refuseAtOnce(worker, id, Errno.EAGAIN);
      return;
    }
    FsOp op;
    try {
      op = OpCodec.decode(submit.op());
    } catch (DecodeException e) {
      if (admits(worker, id, 0, nowNs)) {
        LOG.debug("worker {} sent an op that is refused with EINVAL: {}", worker, e.getMessage());
        violations.add(Quota.SENSELESS_INTENTS, worker);
        refuse(worker, id, Errno.EINVAL);
      }
      return;
    }
    long bytes = Math.min(IntentValidator.payloadBytes(op), Protocol.MAX_WRITE_BYTES);
    if (!admits(worker, id, bytes, nowNs)) {
      return;
    }
    Errno bad = IntentValidator.check(op, submit, config.params().inlineThreshold());
    if (bad != null) {
      LOG.debug("worker {} sent an intent that is refused with {}: {}", worker, bad, id);
      violations.add(Quota.SENSELESS_INTENTS, worker);
      refuse(worker, id, bad);
      return;
    }
    PendingIntent intent =
        new PendingIntent(
            id,
            new Author(UndoAgent.claimable(submit.agent()), worker),
            submit.context(),
            op,
            submit.inlinePayload(),
            submit.lockSession(),
            nowNs);
    if (!admission.hasRoomFor(intent)) {
      refuseAtOnce(worker, id, Errno.EAGAIN);
      return;
    }
    Set<Hash> missing = new LinkedHashSet<>();
    Set<Hash> unverified = new LinkedHashSet<>();
    try {
      if (!findMissing(intent, missing, unverified, nowNs)) {
        refuseLength(worker, id);
        return;
      }
    } catch (ChunkStoreException e) {
      LOG.error("cannot look up the chunks of an intent: {}", e.getMessage());
      refuse(worker, id, e.errno());
      return;
    }
    Errno chunkRefused = takeRefusedEarly(worker, id);
    if (chunkRefused != null && !missing.isEmpty()) {
      refuse(worker, id, chunkRefused);
      return;
    }
    admission.giveBack(intent, missing);
    missing.addAll(unverified);
    queue.add(intent, missing);
    verify(unverified);
    requestMissing(worker, intent, admission.uploading(submit, worker, nowNs));
  }

  /**
   * Whether an intent of this worker that is unknown here may have been committed and forgotten.
   */
  private boolean mayBeForgotten(WorkerId worker) {
    return forgotten.mayAsk(worker, sequencer.intents().forgottenThrough());
  }

  /**
   * Answers what has become of an intent (6.4): NOT_FOUND for another worker's; nothing yet for one
   * that may have been forgotten ({@link ForgottenIntents}). If the intent waits for chunks, they
   * are requested again, because chunks in flight on the previous connection are lost (9.3.1). The
   * worker must not send the intent again to achieve that: its answer may be in flight, and an
   * intent that arrives after its own refusal is a new one.
   */
  public void status(WorkerId worker, IntentId id, long nowNs) {
    if (isForeign(worker, id)) {
      sender.accept(worker, new IntentStatusResponse(id, Status.NOT_FOUND, null));
      return;
    }
    PendingIntent pending = queue.find(id);
    Committed place = sequencer.intents().place(id);
    if (pending != null || isAwaitingTheDisk(id, place) || isHeldBack(worker, id, place)) {
      sender.accept(worker, new IntentStatusResponse(id, Status.IN_FLIGHT, null));
      if (pending != null) {
        pending.touch(nowNs);
        requestMissing(worker, pending, List.of());
      }
      return;
    }
    if (place == null && mayBeForgotten(worker)) {
      forgotten.owesAnswer(worker);
      return;
    }
    sender.accept(
        worker,
        new IntentStatusResponse(id, place == null ? Status.NOT_FOUND : Status.COMMITTED, place));
  }

  /**
   * Whether to store a chunk, see {@link IntentAdmission}. A refused chunk is requested once an
   * intent needs it.
   */
  public boolean takesChunk(WorkerId worker, ChunkPut put, long nowNs) {
    if (!admission.takesChunk(worker, put, nowNs)) {
      return false;
    }
    // The chunk of a decided intent was overtaken by it, which has found the chunk here.
    if (acks.find(put.intent()) == null && sequencer.intents().place(put.intent()) == null) {
      uploaded.add(put.intent(), put.hash(), nowNs); // before the store has it
    }
    return true;
  }

  /** A chunk is verified and in the store. Intents that state another length for it are refused. */
  public void chunkArrived(Hash hash, int length) {
    verifying.remove(hash);
    unreadable.remove(hash);
    verified.add(hash, clock.monotonicNs());
    for (PendingIntent wrong : queue.arrived(hash, length, clock.monotonicNs())) {
      queue.remove(wrong);
      refuseLength(wrong.origin(), wrong.id());
    }
  }

  /**
   * A chunk in the store cannot be read or is damaged: the workers whose intents wait for it have
   * the bytes and are asked for them.
   */
  public void chunkUnreadable(Hash hash) {
    verifying.remove(hash);
    verified.remove(hash);
    unreadable.put(hash, true);
    for (PendingIntent intent : queue.waitingFor(hash)) {
      sender.accept(intent.origin(), new ChunkNeed(intent.id(), List.of(hash)));
    }
  }

  /**
   * A chunk of this intent does not match its hash, or cannot be stored. Chunks travel on a stream
   * of their own, so this may be known before the intent arrives.
   *
   * @param worker the sender of the chunk; it cannot refuse another worker's intents this way
   */
  public void chunkRefused(WorkerId worker, IntentId id, Errno errno) {
    if (isForeign(worker, id) || acks.find(id) != null) {
      return; // refused once, however many chunks are bad
    }
    PendingIntent intent = queue.find(id);
    if (intent == null) {
      refusedEarly.computeIfAbsent(worker, _ -> new BoundedMap<>(MAX_REFUSED_EARLY)).put(id, errno);
    } else if (!intent.missing().isEmpty()) {
      queue.remove(intent);
      refuse(intent.origin(), id, errno);
    }
  }

  /**
   * Refuses intents with EIO that wait for chunks and were neither sent again nor asked about since
   * {@code beforeNs} (9.3.1(3)): their worker is gone or has given them up.
   */
  public void expire(long beforeNs) {
    for (PendingIntent intent : queue.expire(beforeNs)) {
      LOG.info("gave up the partial upload of intent {}", intent.id());
      refuse(intent.origin(), intent.id(), Errno.EIO);
    }
  }

  /**
   * Sequences intents that are ready, within the limits of one turn.
   *
   * @return how many were sequenced or refused
   */
  public int sequence() {
    int count = 0;
    // What the log has no room for stays in the queue, because this thread has acks to send
    // meanwhile. So do entries that the log could not sync yet: in the queue, other workers'
    // intents can overtake a flooding worker's; in the log they cannot.
    while (count < MAX_PER_SLICE
        && !log.mayWait()
        && sequencer.headIndex() - log.durableIndex() < config.maxUnsyncedEntries()) {
      PendingIntent intent = queue.pollReady();
      if (intent == null) {
        break;
      }
      queue.remove(intent);
      count++;
      if (restsOnUnreadable(intent)) {
        refuseAtOnce(intent.origin(), intent.id(), Errno.EAGAIN);
        continue;
      }
      sequence(intent, clock.monotonicNs());
    }
    return count;
  }

  /**
   * Sends the answers that rest on durable entries only.
   *
   * @return how many
   */
  public int release(long durableIndex) {
    long onDisk = log.durableIndex();
    return acks.release(
        durableIndex,
        gate,
        (worker, ack) -> {
          Invariant.ANSWERS_REST_ON_DURABLE_ENTRIES.check(ack.asOfIndex() <= onDisk);
          sender.accept(worker, ack);
        },
        (ack, times) -> listener.committed(ack.intent(), times));
  }

  /**
   * Whether exactly one intent is queued, it can be sequenced, and no answer waits for the disk.
   */
  public boolean hasLoneIntent() {
    return queue.isLone() && acks.size() == 0;
  }

  /**
   * Names the chunks that intents rely on and no state has yet: those of all queued intents, those
   * that were sent ahead of intents which have not come ({@link UploadedChunks}), and those of the
   * leader's own ops that wait ({@link #promise}). That a chunk was verified lately keeps nothing:
   * an intent that arrives later asks the store again, before it relies on that.
   */
  public void promised(Consumer<Hash> chunk, long nowNs) {
    queue.forEachChunk(chunk);
    ownWaiting.accept(chunk);
    uploaded.forEach(chunk, nowNs);
  }

  /**
   * How long the oldest intent waits that is not decided, or the oldest chunk of one that has not
   * come, in nanoseconds; negative if there is none. For reports.
   */
  public long waitingNs(long nowNs) {
    return Math.max(queue.waitingNs(nowNs), uploaded.waitingNs(nowNs));
  }

  /** How many intents wait for chunks or for their turn. */
  public int pending() {
    return queue.size();
  }

  /** About how many bytes of heap they take. */
  public long pendingBytes() {
    return queue.bytes();
  }

  /** How many answers wait for the disk. */
  public int unacknowledged() {
    return acks.size();
  }

  /** Intent rates by worker; for status reports. */
  public IntentRates rates() {
    return admission.rates();
  }

  /** How often an intent arrived that was already known. */
  public long deduplicated() {
    return deduplicated;
  }

  /**
   * Whether a new intent of this worker is admitted; if not, the worker has been told to send it
   * again. Nothing is kept of the intent then, so the worker alone is responsible for the order in
   * which its clients' intents arrive again.
   */
  private boolean admits(WorkerId worker, IntentId id, long bytes, long nowNs) {
    return switch (admission.decide(worker, bytes, nowNs)) {
      case IntentAdmission.Decision.Admitted _ -> true;
      case IntentAdmission.Decision.NoPlace _ -> {
        refuseAtOnce(worker, id, Errno.EAGAIN);
        yield false;
      }
      case IntentAdmission.Decision.TooFast(int retryAfterMs) -> {
        sender.accept(worker, new RateLimited(id, retryAfterMs));
        yield false;
      }
    };
  }

  private @Nullable Errno takeRefusedEarly(WorkerId worker, IntentId id) {
    Map<IntentId, Errno> refused = refusedEarly.get(worker);
    if (refused == null) {
      return null;
    }
    Errno errno = refused.remove(id);
    if (refused.isEmpty()) {
      refusedEarly.remove(worker);
    }
    return errno;
  }

  private void sequence(PendingIntent intent, long turnNs) {
    // Asked here and not at the arrival: its locks may be lost while it waits for chunks or for its
    // turn. From this moment on it is an entry, and whoever is granted the lock later is granted it
    // behind that entry (LockManager.freedAt).
    if (!fence.admits(intent.origin(), intent.lockSession())) {
      refuse(intent.origin(), intent.id(), Errno.EIO);
      return;
    }
    switch (sequencer.sequence(
        intent.id(), intent.author(), intent.context(), intent.op(), intent.inlinePayload())) {
      case Sequencer.Result.Refused(Errno errno) -> refuse(intent.origin(), intent.id(), errno);
      case Sequencer.Result.Sequenced(LogEntry entry, byte[] encoded) -> {
        uploaded.decided(intent.id());
        tail.add(encoded, log.durableIndex());
        if (entry.inlinePayload().length > 0) {
          chunks.storeInline(entry.op().chunks(), entry.inlinePayload());
        }
        sequenced.accept(intent.origin(), entry);
        intent.times().sequenced(turnNs, clock.monotonicNs());
        acks.add(
            intent.origin(),
            new CommitAck(entry.intent(), null, CommittedIntent.place(entry), entry.index()),
            intent.times());
      }
    }
  }

  private void refuse(WorkerId worker, IntentId id, Errno errno) {
    uploaded.decided(id);
    acks.add(worker, new CommitAck(id, errno, null, sequencer.headIndex()), null);
  }

  /**
   * Refuses an intent for a reason that rests on no entry: the answer need not wait for the disk,
   * and leaves nothing that could be taken for the answer to a later intent with the same id.
   */
  private void refuseAtOnce(WorkerId worker, IntentId id, Errno errno) {
    sender.accept(worker, new CommitAck(id, errno, null, log.durableIndex()));
  }

  /**
   * Whether the intent is decided already: it is in the log, or its answer waits for the disk. If
   * its entry is durable, the ack is sent again.
   */
  private boolean answerIfCommitted(WorkerId worker, IntentId id) {
    Committed place = sequencer.intents().place(id);
    if (isAwaitingTheDisk(id, place)) {
      return true; // the ack will go to the session the worker has by then
    }
    if (place == null) {
      return false;
    }
    if (!isHeldBack(worker, id, place)) {
      sender.accept(worker, new CommitAck(id, null, place, place.logIndex()));
    }
    return true;
  }

  /**
   * Whether an intent that is in the log must not be answered yet. It was asked for after a restart
   * of the leader, which has lost the ack, or after a reconnect. The ack then waits here again; not
   * if this worker has more of them than it can have calls: it has to ask again.
   */
  private boolean isHeldBack(WorkerId worker, IntentId id, @Nullable Committed place) {
    if (place == null || gate.admits(worker, place.logIndex())) {
      return false;
    }
    if (acks.size(worker) < config.maxPendingIntents()) {
      acks.add(worker, new CommitAck(id, null, place, place.logIndex()), null);
    }
    return true;
  }

  /** From now on answers that rest on entries wait for this gate, too. */
  public void gateAnswers(AckGate answers) {
    gate = answers;
  }

  /** The next answer, if it rests on durable entries only; else null. */
  public @Nullable OldestAck oldest(long durableIndex) {
    return acks.oldest(durableIndex);
  }

  /**
   * Whether an intent is decided and its answer waits for the disk. The leader's own ops have no
   * answer, so they are recognized by their index.
   *
   * @param place the entry that it has become, if it is one
   */
  private boolean isAwaitingTheDisk(IntentId id, @Nullable Committed place) {
    return acks.find(id) != null || (place != null && place.logIndex() > log.durableIndex());
  }

  /**
   * Whether the intent's client is known to belong to another worker. Client ids are in the log for
   * everyone to read; a client belongs to the worker of its first intent, so no other worker can
   * commit its next intent or answer for it.
   */
  private boolean isForeign(WorkerId worker, IntentId id) {
    PendingIntent pending = queue.find(id);
    return !sequencer.intents().mayBelongTo(id.client(), worker)
        || (pending != null && !pending.origin().equals(worker));
  }

  /**
   * Adds chunks that are not in the store to {@code missing}, and stored ones that may have decayed
   * to {@code unverified}; false if the store has a chunk in another length than the op states.
   */
  private boolean findMissing(
      PendingIntent intent, Set<Hash> missing, Set<Hash> unverified, long nowNs) {
    if (intent.inlinePayload().length > 0) {
      return true;
    }
    for (ChunkRef ref : intent.op().chunks()) {
      int length = ref.length() == 0 ? 0 : chunks.length(ref.hash());
      if (length == ChunkStore.NOT_HERE) {
        missing.add(ref.hash());
      } else if (length != ref.length()) {
        return false;
      } else if (length > 0 && !verified.has(ref.hash(), nowNs)) {
        unverified.add(ref.hash());
      }
    }
    return true;
  }

  /** Whether a chunk of the intent was found damaged after it had been verified. */
  private boolean restsOnUnreadable(PendingIntent intent) {
    return !unreadable.isEmpty()
        && intent.inlinePayload().length == 0
        && intent.op().chunks().stream().anyMatch(ref -> unreadable.containsKey(ref.hash()));
  }

  /**
   * Whether the store has the chunks of an op of the leader's own. One that was found damaged
   * counts as missing there until it is stored again, perhaps from the log, of which nobody tells
   * here. A collection that runs keeps what the store says it has.
   *
   * @return null if it has them, EIO if not, another errno if it cannot say
   */
  public @Nullable Errno lacking(FsOp op) {
    try {
      for (ChunkRef ref : op.chunks()) {
        if (ref.length() > 0 && chunks.length(ref.hash()) != ref.length()) {
          return Errno.EIO;
        }
      }
      return null;
    } catch (ChunkStoreException e) {
      LOG.error("cannot look up the chunks of an op of the leader's own: {}", e.getMessage());
      return e.errno();
    }
  }

  /**
   * From now on the chunks of these ops of the leader's own are promised, too: a restore is about
   * to mention them.
   *
   * @param ops names their chunks whenever it is asked
   */
  public void promise(Consumer<Consumer<Hash>> ops) {
    ownWaiting = ops;
  }

  private void verify(Set<Hash> hashes) {
    for (Hash hash : hashes) {
      if (verifying.add(hash)) {
        chunks.verify(hash);
      }
    }
  }

  /**
   * Refuses an op that states a wrong chunk length: readers would get fewer bytes than the file
   * size says.
   */
  private void refuseLength(WorkerId worker, IntentId id) {
    LOG.debug("worker {} sent an op that mentions a chunk with a wrong length: {}", worker, id);
    violations.add(Quota.SENSELESS_INTENTS, worker);
    refuse(worker, id, Errno.EINVAL);
  }

  private void requestMissing(WorkerId worker, PendingIntent intent, List<Hash> uploading) {
    List<Hash> wanted = new ArrayList<>(intent.missing());
    if (!wanted.isEmpty() && !uploading.isEmpty()) {
      wanted.removeAll(Set.copyOf(uploading)); // removeAll would scan a list each time
    }
    wanted.removeIf(verifying::contains);
    if (!wanted.isEmpty()) {
      sender.accept(worker, new ChunkNeed(intent.id(), wanted));
    }
  }
}
