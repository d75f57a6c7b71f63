package io.hypersync.leader.sequencer;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.IntactChunks;
import io.hypersync.leader.LeaderConfig;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.port.ChunkPort;
import io.hypersync.leader.quota.Quota;
import io.hypersync.leader.quota.Refusals;
import io.hypersync.leader.quota.UnaskedChunks;
import io.hypersync.leader.session.TailCache;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.invariant.Invariant;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.OpCodec;
import io.hypersync.model.op.WriteMode;
import io.hypersync.wire.agent.Clock;
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
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes intents in, sees that each is committed at most once (hypersync.md 8.2) and only with all
 * its bytes (9.3), and answers when the answer is durable (6.3).
 *
 * <p>At most once, because every intent passes these in order, on one thread: is it in the log; is
 * it decided and waiting for the disk; is it waiting for chunks. Only what is none of these goes
 * on.
 *
 * <p>A chunk counts as here when it was stored, or read and compared with its hash, a short while
 * ago. Of any other that the store knows it is found out, off this thread; what cannot be read the
 * worker is asked for, for it has the bytes.
 *
 * <p>What goes on has to be let in: a worker that has enough waiting (EAGAIN, 6.3.1), or that sends
 * too fast (RATE_LIMITED, 12.5), is told to come again. What is known already is not asked this: to
 * send an intent again costs nothing.
 */
public final class IntentDesk {
  private static final Logger LOG = LoggerFactory.getLogger(IntentDesk.class);
  private static final int MAX_PER_SLICE = 1_000;
  private static final int MAX_REFUSED_EARLY = 256;
  private static final long NS_PER_MS = 1_000_000;
  private static final byte[] NOTHING = {};

  /** So many chunks, up to 1 GiB of them, are known to be intact, */
  private static final int MAX_INTACT = 16_384;

  /** for so long. */
  private static final long INTACT_NS = 60_000_000_000L;

  /** The origin of the leader's own ops. */
  private static final WorkerId LEADER = new WorkerId("hypersync-leader");

  private final LeaderConfig config;
  private final Sequencer sequencer;
  private final OpLog log;
  private final ChunkPort chunks;
  private final TailCache tail;
  private final BiConsumer<WorkerId, LeaderMessage> sender;
  private final ObjLongConsumer<WorkerId> sequenced;
  private final Clock clock;
  private final CommitListener listener;
  private final IntentQueue queue = new IntentQueue();

  /** By worker: none may have the refusals of another one forgotten. */
  private final Map<WorkerId, Map<IntentId, Errno>> refusedEarly = new HashMap<>();

  private final ForgottenIntents forgotten = new ForgottenIntents();
  private final UnaskedChunks unasked;
  private final Refusals refusals;
  private final AckQueue acks = new AckQueue();
  private final IntactChunks intact = new IntactChunks(MAX_INTACT, INTACT_NS);

  /** Chunks that are being read and compared. */
  private final Set<Hash> verifying = new HashSet<>();

  /** Chunks that could not be read, until they are stored again. */
  private final Map<Hash, Boolean> unreadable = new BoundedMap<>(MAX_INTACT);

  private final IntentRates rates;
  private final ClientId ownClient;
  private long ownSeqNo;
  private long deduplicated;

  /**
   * An empty desk.
   *
   * @param ownClient the leader's own client id in this run
   * @param sender sends to the session of a worker, if it has one
   * @param sequenced told which entry has become of a worker's intent; it is not durable yet
   * @param clock for the figures that {@code listener} gets
   * @param refusals hears of what was beyond a quota
   */
  public IntentDesk(
      LeaderConfig config,
      Sequencer sequencer,
      OpLog log,
      ChunkPort chunks,
      TailCache tail,
      ClientId ownClient,
      BiConsumer<WorkerId, LeaderMessage> sender,
      ObjLongConsumer<WorkerId> sequenced,
      Clock clock,
      CommitListener listener,
      Refusals refusals) {
    this.refusals = refusals;
    this.unasked = new UnaskedChunks(config.quotas().unaskedBytes());
    this.config = config;
    this.rates = new IntentRates(config.rateLimits());
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
   * Commits an op of the leader's own.
   *
   * @return null, or why it is not possible
   */
  public @Nullable Errno submitOwn(FsOp op) {
    ownSeqNo++;
    IntentId id = new IntentId(ownClient, ownSeqNo);
    return switch (sequencer.sequence(id, LEADER, "", op, NOTHING)) {
      case Sequencer.Result.Refused(Errno errno) -> errno;
      case Sequencer.Result.Sequenced(LogEntry _, byte[] encoded) -> {
        tail.add(encoded, log.durableIndex());
        yield null;
      }
    };
  }

  /**
   * A Hello was accepted.
   *
   * @param isNew no leader has ever welcomed this run of the worker
   */
  public void greeted(WorkerId worker, ClientId run, boolean isNew) {
    forgotten.greeted(worker, run, isNew, sequencer.headIndex());
  }

  /**
   * A worker has said which entry is visible there.
   *
   * @return whether its connection has to be closed: it can be told now what it has asked
   */
  public boolean reported(WorkerId worker, long visibleIndex) {
    return forgotten.reported(worker, visibleIndex, sequencer.intents().forgottenThrough());
  }

  /** Takes an intent from a worker. */
  public void submit(WorkerId worker, SubmitIntent submit, long nowNs) {
    IntentId id = submit.intent();
    if (isForeign(worker, id)) {
      LOG.debug("worker {} used the client id of another worker: {}", worker, id);
      refusals.add(Quota.FOREIGN_INTENTS, worker);
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
      requestMissing(worker, pending, uploading(submit, worker, nowNs));
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
      if (letsIn(worker, id, 0, nowNs)) {
        LOG.debug("worker {} sent an op that is refused with EINVAL: {}", worker, e.getMessage());
        refusals.add(Quota.SENSELESS_INTENTS, worker);
        refuse(worker, id, Errno.EINVAL);
      }
      return;
    }
    long bytes = Math.min(IntentForm.payloadBytes(op), Protocol.MAX_WRITE_BYTES);
    if (!letsIn(worker, id, bytes, nowNs)) {
      return;
    }
    Errno bad = IntentForm.check(op, submit, config.params().inlineThreshold());
    if (bad != null) {
      LOG.debug("worker {} sent an intent that is refused with {}: {}", worker, bad, id);
      refusals.add(Quota.SENSELESS_INTENTS, worker);
      refuse(worker, id, bad);
      return;
    }
    PendingIntent intent =
        new PendingIntent(id, worker, submit.agent(), op, submit.inlinePayload(), nowNs);
    if (isTooHeavy(intent)) {
      refusals.add(Quota.PENDING_INTENT_BYTES, worker);
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
    giveBack(intent, missing);
    missing.addAll(unverified);
    queue.add(intent, missing);
    verify(unverified);
    requestMissing(worker, intent, uploading(submit, worker, nowNs));
  }

  /** Whether what this worker asks about may have been committed though it is not known here. */
  private boolean mayBeForgotten(WorkerId worker) {
    return forgotten.mayAsk(worker, sequencer.intents().forgottenThrough());
  }

  /** What was here before its intent has found it. */
  private void giveBack(PendingIntent intent, Set<Hash> missing) {
    int here = 0;
    long bytes = 0;
    for (ChunkRef ref : intent.op().chunks()) {
      if (intent.inlinePayload().length == 0 && !missing.contains(ref.hash())) {
        here++;
        bytes += ref.length();
      }
    }
    if (here > 0) {
      unasked.mentioned(intent.origin(), here, bytes);
    }
  }

  /** What the worker sends along, unless some of what it has sent was dropped. */
  private List<Hash> uploading(SubmitIntent submit, WorkerId worker, long nowNs) {
    return unasked.hasDropped(worker, nowNs) ? List.of() : submit.uploading();
  }

  /**
   * Says what has become of an intent (6.4): of another worker's, that there is none; of one that
   * may have been forgotten, nothing yet ({@link ForgottenIntents}). If it waits for chunks they
   * are asked for again: what was on its way with the last connection is lost (9.3.1). The worker
   * must not send the intent again for that: its answer may be on the way, and an intent that comes
   * after its own refusal is a new one.
   */
  public void status(WorkerId worker, IntentId id, long nowNs) {
    if (isForeign(worker, id)) {
      sender.accept(worker, new IntentStatusResponse(id, Status.NOT_FOUND, null));
      return;
    }
    PendingIntent pending = queue.find(id);
    long index = sequencer.intents().find(id);
    if (pending != null || isAwaitingTheDisk(id, index)) {
      sender.accept(worker, new IntentStatusResponse(id, Status.IN_FLIGHT, null));
      if (pending != null) {
        pending.touch(nowNs);
        requestMissing(worker, pending, List.of());
      }
      return;
    }
    if (index == IntentIndex.NOT_FOUND && mayBeForgotten(worker)) {
      forgotten.owesAnswer(worker);
      return;
    }
    IntentStatusResponse response =
        index == IntentIndex.NOT_FOUND
            ? new IntentStatusResponse(id, Status.NOT_FOUND, null)
            : new IntentStatusResponse(id, Status.COMMITTED, committed(index));
    sender.accept(worker, response);
  }

  /**
   * Whether a chunk is to be stored: one that no intent waits for is none of the leader's business,
   * but for a credit. It is asked for when there is such an intent.
   */
  public boolean takesChunk(WorkerId worker, ChunkPut put, long nowNs) {
    if (queue.awaits(put.hash()) || unasked.takes(worker, put.bytes().length, nowNs)) {
      return true;
    }
    refusals.add(Quota.UNASKED_CHUNKS, worker);
    return false;
  }

  /** A chunk is verified and in the store. */
  public void chunkArrived(Hash hash, int length) {
    verifying.remove(hash);
    unreadable.remove(hash);
    intact.add(hash, clock.monotonicNs());
    for (PendingIntent wrong : queue.arrived(hash, length, clock.monotonicNs())) {
      queue.remove(wrong);
      refuseLength(wrong.origin(), wrong.id());
    }
  }

  /**
   * A chunk that the store knew cannot be read, or is not what it was: whoever waits for it has the
   * bytes, and is asked for them.
   */
  public void chunkUnreadable(Hash hash) {
    verifying.remove(hash);
    intact.remove(hash);
    unreadable.put(hash, true);
    for (PendingIntent intent : queue.waitingFor(hash)) {
      sender.accept(intent.origin(), new ChunkNeed(intent.id(), List.of(hash)));
    }
  }

  /**
   * A chunk of this intent was not what it claims to be, or cannot be stored. Chunks travel on a
   * stream of their own, so this may be known before the intent has come.
   *
   * @param worker who sent the chunk: what it says of another worker's intents does not count
   */
  public void chunkRefused(WorkerId worker, IntentId id, Errno errno) {
    if (isForeign(worker, id) || acks.find(id) != null) {
      return; // an intent is refused once, however many of its chunks were
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
   * Gives up what waits for chunks and has not been asked about since this time (9.3.1(3)): its
   * worker is gone, or has given it up itself.
   */
  public void expire(long beforeNs) {
    for (PendingIntent intent : queue.expire(beforeNs)) {
      LOG.info("gave up the partial upload of intent {}", intent.id());
      refuse(intent.origin(), intent.id(), Errno.EIO);
    }
  }

  /**
   * Sequences what is ready.
   *
   * @return how many intents
   */
  public int sequence() {
    int count = 0;
    // What the log has no room for yet stays in the queue: this thread has acks to send meanwhile.
    // So does what the log would only keep waiting: in the queue others pass a worker that floods,
    // in the log they could not any more.
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
        (worker, ack) -> {
          Invariant.ANSWERS_REST_ON_DURABLE_ENTRIES.check(ack.asOfIndex() <= onDisk);
          sender.accept(worker, ack);
        },
        (ack, times) -> listener.committed(ack.intent(), times));
  }

  /** Whether there is one intent, it can be sequenced, and no answer waits for the disk. */
  public boolean hasLoneIntent() {
    return queue.isLone() && acks.size() == 0;
  }

  /** Intents that wait for chunks or for their turn. */
  public int pending() {
    return queue.size();
  }

  /** About how much of the heap they take. */
  public long pendingBytes() {
    return queue.bytes();
  }

  /** Answers that wait for the disk. */
  public int unacknowledged() {
    return acks.size();
  }

  /** Who sends how many intents; for status reports. */
  public IntentRates rates() {
    return rates;
  }

  /** How many intents came more than once. */
  public long deduplicated() {
    return deduplicated;
  }

  /**
   * Whether a new intent of this worker may come in now; if not, the worker has been told to send
   * it again. Nothing is kept of it then, so the worker alone sees to the order in which its
   * clients' intents come again.
   */
  private boolean letsIn(WorkerId worker, IntentId id, long bytes, long nowNs) {
    if (hasItsShare(worker)) {
      refuseAtOnce(worker, id, Errno.EAGAIN);
      return false;
    }
    long waitNs = rates.take(worker, bytes, nowNs);
    if (waitNs > 0) {
      sender.accept(worker, new RateLimited(id, (int) Math.ceilDiv(waitNs, NS_PER_MS)));
      return false;
    }
    return true;
  }

  /**
   * Whether a worker has as many intents waiting as there are places left. So one that floods gets
   * half of all places, two of them a third each, and n leave one place in n + 1 to whoever comes
   * next, though nobody has to know how many workers there are (the dynamic threshold of Choudhury
   * and Hahne, "Dynamic queue length thresholds for shared-memory packet switches").
   */
  private boolean hasItsShare(WorkerId worker) {
    int left = config.maxPendingIntents() - queue.size() - acks.size();
    return queue.size(worker) + acks.size(worker) >= left;
  }

  /**
   * The same for the heap that intents take while they wait: an op may name 4,096 chunks. One
   * intent may always wait, however heavy.
   */
  private boolean isTooHeavy(PendingIntent intent) {
    long own = queue.bytes(intent.origin());
    long left = config.quotas().pendingIntentBytes() - queue.bytes();
    return own > 0 && own + intent.heapBytes() > left;
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
    switch (sequencer.sequence(
        intent.id(), intent.origin(), intent.agent(), intent.op(), intent.inlinePayload())) {
      case Sequencer.Result.Refused(Errno errno) -> refuse(intent.origin(), intent.id(), errno);
      case Sequencer.Result.Sequenced(LogEntry entry, byte[] encoded) -> {
        tail.add(encoded, log.durableIndex());
        if (entry.inlinePayload().length > 0) {
          chunks.storeInline(entry.op().chunks(), entry.inlinePayload());
        }
        sequenced.accept(intent.origin(), entry.index());
        intent.times().sequenced(turnNs, clock.monotonicNs());
        acks.add(
            intent.origin(),
            new CommitAck(entry.intent(), null, committed(entry), entry.index()),
            intent.times());
      }
    }
  }

  private void refuse(WorkerId worker, IntentId id, Errno errno) {
    acks.add(worker, new CommitAck(id, errno, null, sequencer.headIndex()), null);
  }

  /**
   * For what rests on no entry: it needs not wait for the disk, and leaves no trace that could be
   * taken for the answer to an intent of the same id.
   */
  private void refuseAtOnce(WorkerId worker, IntentId id, Errno errno) {
    sender.accept(worker, new CommitAck(id, errno, null, log.durableIndex()));
  }

  /** Whether the intent is in the log already; if it is durable too, its ack is sent again. */
  private boolean answerIfCommitted(WorkerId worker, IntentId id) {
    long index = sequencer.intents().find(id);
    if (isAwaitingTheDisk(id, index)) {
      return true; // the ack is on its way, to whichever session the worker has by then
    }
    if (index == IntentIndex.NOT_FOUND) {
      return false;
    }
    sender.accept(worker, new CommitAck(id, null, committed(index), index));
    return true;
  }

  /**
   * Whether an intent is decided, and its answer waits for the disk. The leader's own ops have none
   * that would wait.
   *
   * @param index the entry that it has become, or {@link IntentIndex#NOT_FOUND}
   */
  private boolean isAwaitingTheDisk(IntentId id, long index) {
    return acks.find(id) != null || (index != IntentIndex.NOT_FOUND && index > log.durableIndex());
  }

  /**
   * Client ids are in the log for all to see. Whose they are is known from their first intent on,
   * so nobody can commit, or answer for, the next one of somebody else's.
   */
  private boolean isForeign(WorkerId worker, IntentId id) {
    PendingIntent pending = queue.find(id);
    return !sequencer.intents().mayBelongTo(id.client(), worker)
        || (pending != null && !pending.origin().equals(worker));
  }

  /**
   * Adds what is not in the store, and what is and may have rotted there; false if a chunk there
   * has another length than the op says.
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
      } else if (length > 0 && !intact.has(ref.hash(), nowNs)) {
        unverified.add(ref.hash());
      }
    }
    return true;
  }

  /** What has been verified may be found damaged before it is the intent's turn. */
  private boolean restsOnUnreadable(PendingIntent intent) {
    return !unreadable.isEmpty()
        && intent.inlinePayload().length == 0
        && intent.op().chunks().stream().anyMatch(ref -> unreadable.containsKey(ref.hash()));
  }

  private void verify(Set<Hash> hashes) {
    for (Hash hash : hashes) {
      if (verifying.add(hash)) {
        chunks.verify(hash);
      }
    }
  }

  /** Readers would find fewer bytes than the file says. */
  private void refuseLength(WorkerId worker, IntentId id) {
    LOG.debug("worker {} sent an op that mentions a chunk with a wrong length: {}", worker, id);
    refusals.add(Quota.SENSELESS_INTENTS, worker);
    refuse(worker, id, Errno.EINVAL);
  }

  private void requestMissing(WorkerId worker, PendingIntent intent, List<Hash> uploading) {
    List<Hash> wanted = new ArrayList<>(intent.missing());
    if (!wanted.isEmpty() && !uploading.isEmpty()) {
      wanted.removeAll(Set.copyOf(uploading)); // of a list it would look at all for each
    }
    wanted.removeIf(verifying::contains);
    if (!wanted.isEmpty()) {
      sender.accept(worker, new ChunkNeed(intent.id(), wanted));
    }
  }

  private static Committed committed(LogEntry entry) {
    long appendedAt =
        entry.op() instanceof FsOp.Write write && write.mode() == WriteMode.APPEND
            ? write.offset()
            : -1;
    return new Committed(
        entry.index(), entry.opId(), entry.committedAtNs(), entry.root(), appendedAt);
  }

  /** From the log itself, so a repeated ack says what the first one said. */
  private Committed committed(long index) {
    try {
      return committed(LogEntryCodec.decode(log.read(index)));
    } catch (IOException | DecodeException e) {
      throw new IllegalStateException("cannot read log entry " + index, e);
    }
  }
}
