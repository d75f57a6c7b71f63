package io.hypersync.worker.replica;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.invariant.Invariant;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.FsStateMachine;
import io.hypersync.model.state.Outcome;
import io.hypersync.model.state.RestoredStates;
import io.hypersync.model.state.Stamp;
import io.hypersync.model.state.StateWeight;
import io.hypersync.model.trie.DirtyMemory;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.snapshot.schedule.SnapshotSource;
import io.hypersync.wire.message.WorkerMessage.ApplyError;
import io.hypersync.worker.port.WorkerChunks;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Applies the log in order, entry by entry: never k+1 before k, and none before all its chunks are
 * verified (hypersync.md 12.3), except what the leader has collected ({@link #collectedThrough})
 * and what nobody has ({@link #chunkLost}). At an entry that it cannot apply it stalls (6.4.1), for
 * as long as {@link Stopped} says.
 *
 * <p>Entries may arrive before they are durable at the leader. They are applied ahead while the
 * leader's disk works: a state is a value, and no other code gets this one before its entry is
 * known to be durable. An entry that never becomes durable is dropped when its connection ends; all
 * that remains of it are chunks, which no state refers to.
 *
 * <p>Single-threaded. What is applied here becomes visible through {@code
 * io.hypersync.worker.coherence}.
 */
public final class Replica implements SnapshotSource {
  private static final long MIB = 1L << 20;
  private static final WorkspaceId NO_WORKSPACE = new WorkspaceId(0, 0);

  private final WorkerChunks chunks;
  private final Listener listener;
  private final ArrayDeque<LogEntry> incoming = new ArrayDeque<>();

  /** Chunks that entries wait for. */
  private final Set<Hash> requested = new HashSet<>();

  /** Those of them that are here and being compared with their hash; the leader was not asked. */
  private final Set<Hash> verifying = new HashSet<>();

  /** Entries that are applied and not known to be durable, in order. */
  private final ArrayDeque<Step> ahead = new ArrayDeque<>();

  private long received;
  private long durable;

  /** Chunks that entries up to this one mention are not waited for. */
  private long collectedThrough;

  /**
   * The entry that cannot be applied, and why. Apply stalls once that entry is durable: before
   * that, the entry may still be dropped.
   */
  private @Nullable ApplyError failure;

  /**
   * Whether the failure has stalled apply: its entry was durable, whatever a later leader calls
   * durable.
   */
  private boolean stopped;

  /** How long the failure lasts. */
  private Stopped until = Stopped.FOR_GOOD;

  /** The chunk that caused the failure, or null. */
  private @Nullable Hash failedChunk;

  /** Chunks that have arrived and could not be stored for lack of space. */
  private final Map<Hash, ChunkRef> unstored = new LinkedHashMap<>();

  private IndexedState applied;

  /** The time of its last entry, in nanoseconds since 1970; 0 at index 0. */
  private long appliedTimeNs;

  /** The newest applied state, durable or not. */
  private IndexedState head;

  private final long maxStateBytes;
  private final DirtyMemory memory;

  /** Reads the states that entries restore. */
  private final RestoredStates restored;

  private KeptPayloads payloads = KeptPayloads.NONE;

  /** Whether the next entry waits until a snapshot has what is in memory only. */
  private boolean waitsForSnapshot;

  private boolean mayWaitForSnapshot = true;

  /**
   * Estimated heap use of the head, in bytes; {@code appliedWeight} is that of the applied state.
   */
  private long headWeight;

  private long appliedWeight;

  /** Whether the next entry needs a page of the state that cannot be read. */
  private boolean waitsForPage;

  /** How long a failure stalls apply. */
  private enum Stopped {
    /** Until the worker is restarted, after an operator has looked at the host. */
    FOR_GOOD,
    /**
     * The fault is, or may be, the leader's: the entry's result here is not the logged one.
     * Repairing a leader makes it reconnect. If the fault is this worker's, the same entry stalls
     * it again: no state is passed on whose root differs from the log's.
     */
    UNTIL_NEXT_CONNECTION,
    /** Until the disk has space again. */
    UNTIL_THERE_IS_ROOM
  }

  /** Chunks that could not be had while another failure stood. */
  private final Set<Hash> behindFailure = new HashSet<>();

  private record Step(LogEntry entry, IndexedState after, long change, Runnable passOn) {}

  /** Called for every applied entry, in order; must not block. */
  @FunctionalInterface
  public interface Listener {
    /**
     * An entry has been applied, and may not be durable yet. Whatever has to be known of the two
     * states is looked up now: a page that cannot be read now makes the entry wait, and nothing has
     * changed; later it would be too late for that.
     *
     * @return run once the entry is durable; never run if it does not become so
     * @throws PageUnreadableException if a part of a state is not in memory and cannot be read
     */
    Runnable applied(LogEntry entry, IndexedState before, IndexedState after);

    /** An entry is about to be applied, perhaps once more: a page was missing, or memory. */
    default void applying(LogEntry entry) {}
  }

  /** S_0, without a limit to the size of the state. */
  public Replica(WorkerChunks chunks, Listener listener, RootVersion version) {
    this(chunks, listener, version, Long.MAX_VALUE);
  }

  /** S_0: everything comes from the log. */
  public Replica(WorkerChunks chunks, Listener listener, RootVersion version, long maxStateBytes) {
    this(
        chunks,
        listener,
        Manifest.genesis(NO_WORKSPACE, version),
        maxStateBytes,
        DirtyMemory.ofEverything(),
        RestoredStates.NONE);
  }

  /**
   * The state of a snapshot: what comes behind it is applied to that. The chunks of its files need
   * not be here; who reads one that is missing fetches it.
   *
   * @param start the snapshot, or the empty filesystem
   * @param maxStateBytes an entry that makes the state heavier waits for a snapshot if more than
   *     this could not be dropped from memory; if no snapshot helps, it stalls apply for good with
   *     ENOMEM: a full heap would end the process without a message
   * @param memory counts what cannot be dropped
   * @param restored reads the states that entries restore
   */
  public Replica(
      WorkerChunks chunks,
      Listener listener,
      Manifest start,
      long maxStateBytes,
      DirtyMemory memory,
      RestoredStates restored) {
    this.restored = restored;
    this.maxStateBytes = maxStateBytes;
    this.memory = memory;
    memory.begins(start.weight());
    this.chunks = chunks;
    this.listener = listener;
    this.applied = new IndexedState(start.index(), start.state(), start.state().root());
    this.appliedTimeNs = start.lastTimeNs();
    this.received = start.index();
    this.head = applied;
    this.headWeight = start.weight();
    this.appliedWeight = headWeight;
  }

  /** Sets where the payloads are of entries that come without; to be called before any comes. */
  public void takePayloadsFrom(KeptPayloads kept) {
    payloads = kept;
  }

  @Override
  public long index() {
    return applied.index();
  }

  /** Of the newest applied state that is durable at the leader. */
  @Override
  public Manifest manifest(WorkspaceId workspace) {
    return new Manifest(workspace, applied.index(), appliedTimeNs, appliedWeight, applied.state());
  }

  /** The newest applied state that is durable. */
  public IndexedState applied() {
    return applied;
  }

  /** The newest index that has arrived, applied or not. */
  public long received() {
    return received;
  }

  @Override
  public boolean takesTooMuch() {
    return memory.isMuch(maxStateBytes);
  }

  /** Whether all of the state must fit into memory. */
  public boolean keepsEverything() {
    return !memory.isSavable();
  }

  /** About how many bytes of heap the newest state takes that cannot be dropped. */
  public long bytes() {
    return memory.bytes();
  }

  /** Why apply is stalled, or null. */
  public @Nullable ApplyError error() {
    return stopped ? failure : null;
  }

  /**
   * Whether apply is stalled because an entry gives another result here than the log says. If the
   * log is right, the state was wrong before: memory has changed, or what it was read from.
   */
  public boolean isStateSuspect() {
    return stopped && until == Stopped.UNTIL_NEXT_CONNECTION;
  }

  /** Why apply is stalled, or will stall once that entry is known to be durable; or null. */
  public @Nullable ApplyError failure() {
    return failure;
  }

  /** How many entries are computed but not passed on, because they are not known to be durable. */
  public int ahead() {
    return ahead.size();
  }

  /** Tells of all entries that have arrived and are not passed on yet. */
  public void forEachWaiting(Consumer<LogEntry> entry) {
    ahead.forEach(step -> entry.accept(step.entry));
    incoming.forEach(entry);
  }

  /** How many chunks were requested and have not arrived, or are being verified. */
  public int missingChunks() {
    return requested.size();
  }

  /**
   * Takes entries, durable at the leader or not yet. Entries that this connection has brought
   * before are skipped.
   *
   * @return the chunks that must be fetched for them
   * @throws DecodeException if the bytes are not entries, or leave a gap in the log
   * @throws PayloadGoneException if an entry comes without its payload, which is not here
   */
  public List<ChunkRef> offer(List<byte[]> entries) throws DecodeException {
    List<ChunkRef> fetch = new ArrayList<>();
    for (byte[] bytes : entries) {
      LogEntry entry = LogEntryCodec.decodeSent(bytes);
      if (entry.index() <= received) {
        continue;
      }
      if (entry.index() != received + 1) {
        throw new DecodeException(
            "entry " + entry.index() + " came after entry " + received + ": there is a gap");
      }
      if (LogEntryCodec.isWithoutPayload(bytes)) {
        entry = whole(entry);
      }
      received = entry.index();
      incoming.addLast(entry);
      if (entry.inlinePayload().length == 0 && entry.index() > collectedThrough) {
        for (ChunkRef chunk : entry.op().chunks()) {
          if (chunk.length() > 0) {
            need(chunk, entry.index(), fetch);
          }
        }
      }
    }
    return fetch;
  }

  private LogEntry whole(LogEntry entry) {
    byte[] payload = payloads.of(entry);
    if (payload == null) {
      throw new PayloadGoneException(entry.index());
    }
    return entry.with(payload);
  }

  /**
   * A new connection: drops entries that are not both applied and durable, since they, or others in
   * their place, will be sent again. Chunks are requested again.
   */
  public void forgetNotDurable() {
    if (!stopped || until != Stopped.FOR_GOOD) {
      goOn();
    }
    incoming.clear();
    unstored.clear();
    behindFailure.clear();
    requested.clear();
    verifying.clear();
    ahead.clear();
    head = applied;
    memory.dropped(appliedWeight - headWeight);
    headWeight = appliedWeight;
    received = applied.index();
  }

  /**
   * Goes on from the state of a snapshot that is newer than what was applied. What has arrived is
   * dropped; the next connection brings what comes behind the snapshot.
   */
  public void beginAnew(Manifest start) {
    until = Stopped.UNTIL_NEXT_CONNECTION; // whatever has stalled apply lies behind
    forgetNotDurable();
    memory.begins(start.weight());
    waitsForSnapshot = false;
    waitsForPage = false;
    applied = new IndexedState(start.index(), start.state(), start.state().root());
    appliedTimeNs = start.lastTimeNs();
    appliedWeight = start.weight();
    head = applied;
    headWeight = appliedWeight;
    received = start.index();
  }

  /**
   * The leader has collected chunks of its range of the log: entries up to this one are applied
   * without theirs. What of them the workspace still has is in the state of the leader's head, so
   * the leader has it, and {@code worker.backfill} fetches it. To be called at the begin of a
   * connection.
   *
   * @param index 0 if nothing was collected
   */
  public void collectedThrough(long index) {
    collectedThrough = index;
  }

  /** Whether the next entry waits until a snapshot has what is in memory only. */
  public boolean waitsForSnapshot() {
    return waitsForSnapshot;
  }

  /** There will be none: an entry for which there is no memory stalls apply for good. */
  public void noSnapshotComes() {
    mayWaitForSnapshot = false;
    waitsForSnapshot = false;
  }

  /** Whether the next entry waits for a page of the state that cannot be read. */
  public boolean waitsForPage() {
    return waitsForPage;
  }

  /** A page that could not be read may be here now: the next entry is tried again. */
  public void pageStored() {
    waitsForPage = false;
  }

  /** A chunk was stored, or verified, just now. */
  public void chunkStored(Hash hash) {
    verifying.remove(hash);
    var _ = isSettled(hash);
  }

  /** Nothing waits for this chunk any more; returns whether an entry has waited. */
  private boolean isSettled(Hash hash) {
    unstored.remove(hash);
    behindFailure.remove(hash);
    if (until == Stopped.UNTIL_THERE_IS_ROOM && hash.equals(failedChunk)) {
      goOn();
    }
    return requested.remove(hash);
  }

  /**
   * A chunk that is here does not match its hash.
   *
   * @return whether an entry waits for it, so that it must be fetched
   */
  public boolean chunkDamaged(Hash hash) {
    verifying.remove(hash);
    return requested.contains(hash);
  }

  /** Whether an entry cannot be applied before this chunk is here. */
  public boolean isWaitingFor(Hash hash) {
    return requested.contains(hash);
  }

  /**
   * A chunk has arrived and cannot be stored: apply stalls at the first entry that needs it, for
   * good unless only space was lacking.
   */
  public void chunkFailed(Hash hash, Errno errno, String message) {
    if (!isLackOfRoom(errno)) {
      stopBefore(hash, errno, message, Stopped.FOR_GOOD);
      return;
    }
    for (LogEntry entry : incoming) {
      for (ChunkRef chunk : entry.op().chunks()) {
        if (chunk.hash().equals(hash)) {
          unstored.put(hash, chunk);
        }
      }
    }
    stopBefore(hash, errno, message, Stopped.UNTIL_THERE_IS_ROOM);
  }

  /**
   * Nobody has this chunk: entries that mention it are applied without it, because the state needs
   * its hash only. Who reads it gets EIO, and nobody else is concerned.
   *
   * @return whether an entry has waited for it
   */
  public boolean chunkLost(Hash hash) {
    return !verifying.contains(hash) && isSettled(hash); // else it may be intact here
  }

  /**
   * Retries what failed for lack of space only; to be called from time to time.
   *
   * @return chunks that must be fetched once more
   */
  public List<ChunkRef> tryAgain() {
    LogEntry next = incoming.peekFirst();
    if (failure != null
        && until == Stopped.UNTIL_THERE_IS_ROOM
        && next != null
        && next.index() == failure.logIndex()
        && next.inlinePayload().length > 0) {
      try {
        chunks.storeInline(next.op().chunks(), next.inlinePayload());
        goOn();
      } catch (ChunkStoreException e) {
        return List.of(); // the disk is still full
      }
    }
    List<ChunkRef> again = new ArrayList<>(unstored.values());
    unstored.clear();
    if (failure == null && !behindFailure.isEmpty()) {
      addBehindFailure(again);
    }
    return again;
  }

  private static boolean isLackOfRoom(Errno errno) {
    return errno == Errno.ENOSPC || errno == Errno.EAGAIN;
  }

  private void goOn() {
    failure = null;
    failedChunk = null;
    stopped = false;
  }

  private void stopBefore(Hash hash, Errno errno, String message, Stopped howLong) {
    for (LogEntry entry : incoming) {
      if (entry.index() > collectedThrough
          && entry.op().chunks().stream().anyMatch(chunk -> chunk.hash().equals(hash))) {
        Hash before = failedChunk;
        stop(new ApplyError(entry.index(), errno, message), hash, howLong);
        if (before != null && !before.equals(failedChunk)) {
          behindFailure.add(before);
        }
        if (!hash.equals(failedChunk)) {
          behindFailure.add(hash);
        }
        return;
      }
    }
  }

  /**
   * Only one failure stands at a time: when it is over, what failed meanwhile is requested again.
   */
  private void addBehindFailure(List<ChunkRef> again) {
    for (LogEntry entry : incoming) {
      for (ChunkRef chunk : entry.op().chunks()) {
        if (behindFailure.remove(chunk.hash())) {
          again.add(chunk);
        }
      }
    }
    behindFailure.clear();
  }

  /**
   * Applies entries that are complete, and passes on those that are durable.
   *
   * @param limit most entries to apply, and most entries to pass on
   * @param durableIndex the newest entry that is known to be durable
   * @return the number of entries computed plus the number passed on; 0 if there was nothing to do
   */
  public int apply(int limit, long durableIndex) {
    durable = durableIndex;
    int computed = 0;
    waitsForSnapshot &= memory.isSavable() && memory.bytes() > maxStateBytes / 2;
    while (computed < limit && !stopped && !waitsForPage && !waitsForSnapshot) {
      LogEntry entry = incoming.peekFirst();
      if (entry == null || isHeldUp(entry)) {
        break;
      }
      try {
        if (!apply(entry)) {
          break;
        }
      } catch (PageUnreadableException e) { // nothing has changed; the cache tells of the page
        waitsForPage = true;
        break;
      }
      incoming.removeFirst();
      computed++;
    }
    stopIfDurable();
    int passedOn = 0;
    while (passedOn < limit && !ahead.isEmpty() && ahead.getFirst().after.index() <= durable) {
      Step step = ahead.removeFirst();
      applied = step.after;
      appliedTimeNs = step.entry.committedAtNs();
      appliedWeight += step.change;
      step.passOn.run();
      passedOn++;
    }
    return computed + passedOn;
  }

  /** Makes sure that the chunk is here and intact before the entry is applied. */
  private void need(ChunkRef chunk, long index, List<ChunkRef> fetch) {
    WorkerChunks.Presence presence;
    try {
      presence = chunks.presence(chunk.hash());
    } catch (ChunkStoreException e) {
      stop(
          new ApplyError(index, e.errno(), String.valueOf(e.getMessage())),
          chunk.hash(),
          Stopped.FOR_GOOD);
      return;
    }
    if (presence == WorkerChunks.Presence.VERIFIED || !requested.add(chunk.hash())) {
      return;
    }
    if (presence == WorkerChunks.Presence.MISSING) {
      fetch.add(chunk);
    } else {
      verifying.add(chunk.hash());
      chunks.verify(chunk);
    }
  }

  private boolean isHeldUp(LogEntry entry) {
    if (failure != null && failure.logIndex() <= entry.index()) {
      return true;
    }
    if (requested.isEmpty()
        || entry.inlinePayload().length > 0
        || entry.index() <= collectedThrough) {
      return false;
    }
    for (ChunkRef chunk : entry.op().chunks()) {
      if (requested.contains(chunk.hash())) {
        return true;
      }
    }
    return false;
  }

  private boolean apply(LogEntry entry) {
    if (entry.inlinePayload().length > 0) {
      int needed = 0;
      for (ChunkRef chunk : entry.op().chunks()) {
        needed += chunk.length();
      }
      if (needed != entry.inlinePayload().length) {
        String message = entry.inlinePayload().length + " bytes for chunks of " + needed;
        return refuse(
            new ApplyError(entry.index(), Errno.EIO, "the entry brings " + message),
            Stopped.UNTIL_NEXT_CONNECTION);
      }
      try {
        chunks.storeInline(entry.op().chunks(), entry.inlinePayload());
      } catch (ChunkStoreException e) {
        if (e.errno() == Errno.EAGAIN || entry.index() > durable) {
          // A slow disk, or an entry that no caller can miss yet: the next call tries again.
          return false;
        }
        Stopped howLong = isLackOfRoom(e.errno()) ? Stopped.UNTIL_THERE_IS_ROOM : Stopped.FOR_GOOD;
        return refuse(
            new ApplyError(entry.index(), e.errno(), String.valueOf(e.getMessage())), howLong);
      }
    }
    listener.applying(entry);
    IndexedState before = head;
    Stamp stamp = new Stamp(entry.committedAtNs(), entry.createdNode());
    return switch (applied(before.state(), entry, stamp)) {
      case Outcome.Failed(Errno errno) ->
          refuse(
              new ApplyError(
                  entry.index(), Errno.EIO, "the op fails here with " + errno + ": states differ"),
              Stopped.UNTIL_NEXT_CONNECTION);
      case Outcome.Applied(FsState after) -> check(entry, before, after);
    };
  }

  private Outcome applied(FsState before, LogEntry entry, Stamp stamp) {
    return memory.counting(() -> FsStateMachine.apply(before, entry.op(), stamp, restored));
  }

  private boolean check(LogEntry entry, IndexedState before, FsState state) {
    Hash root = state.root();
    if (!root.equals(entry.root())) {
      return refuse(
          new ApplyError(
              entry.index(),
              Errno.EIO,
              "Merkle root mismatch: the log says " + entry.root() + ", replay gives " + root,
              root),
          Stopped.UNTIL_NEXT_CONNECTION);
    }
    StateWeight.Step step =
        StateWeight.step(headWeight, entry.op(), entry.createdNode(), before.state(), state);
    long growth = memory.growth(step.change(), step.fresh());
    if (growth > 0 && !memory.isWithin(maxStateBytes, growth)) {
      if (memory.isSavable() && mayWaitForSnapshot) {
        waitsForSnapshot = true;
        return false;
      }
      return refuse(new ApplyError(entry.index(), Errno.ENOMEM, tooLarge()), Stopped.FOR_GOOD);
    }
    Invariant.APPLY_GROWS_BY_ONE.check(entry.index() == before.index() + 1);
    IndexedState after = new IndexedState(entry.index(), state, root);
    Runnable passOn = listener.applied(entry, before, after);
    head = after;
    headWeight = step.weight();
    memory.adopted(growth);
    ahead.addLast(new Step(entry, after, step.change(), passOn));
    return true;
  }

  private String tooLarge() {
    return "the workspace takes "
        + headWeight / MIB
        + " MiB of memory and this worker has no room for more: it needs as large a heap as the"
        + " leader's, such as HYPERSYNC_JAVA_OPTS=-Xmx4g";
  }

  private boolean refuse(ApplyError error, Stopped howLong) {
    stop(error, null, howLong);
    return false;
  }

  private void stop(ApplyError error, @Nullable Hash chunk, Stopped howLong) {
    if (failure == null || (!stopped && error.logIndex() < failure.logIndex())) {
      failure = error;
      failedChunk = chunk;
      until = howLong;
      stopIfDurable();
    }
  }

  /** Entries before the failed one are applied first (6.4.1), and that may fail, too. */
  private void stopIfDurable() {
    if (failure != null && failure.logIndex() <= durable) {
      LogEntry next = incoming.peekFirst();
      stopped |= next == null || next.index() >= failure.logIndex();
    }
  }
}
