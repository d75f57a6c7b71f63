package io.hypersync.worker.replica;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.invariant.Invariant;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.FsStateMachine;
import io.hypersync.model.state.Outcome;
import io.hypersync.model.state.Stamp;
import io.hypersync.wire.message.WorkerMessage.ApplyError;
import io.hypersync.worker.port.WorkerChunks;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Applies the log in order, entry by entry, never k+1 before k and never without every chunk
 * verified (hypersync.md 12.3). What it cannot apply it stops at (6.4.1): for good, or, if the
 * leader could not read a chunk, until the next connection. That is no limit of this machine, and
 * what mends a leader has it connect anew.
 *
 * <p>Entries may come before they are durable at the leader. They are applied ahead, while the
 * leader's disk works: a state is a value, and nobody is told of this one before the entry is known
 * to be durable. An entry that never becomes durable is forgotten with its connection, and all that
 * stays of it are chunks, which nothing mentions.
 *
 * <p>Single-threaded. What is applied here becomes visible through {@code
 * io.hypersync.worker.coherence}.
 */
public final class Replica {
  private final WorkerChunks chunks;
  private final Listener listener;
  private final ArrayDeque<LogEntry> incoming = new ArrayDeque<>();
  private final Set<Hash> requested = new HashSet<>();

  /** What is applied and not known to be durable, in order. */
  private final ArrayDeque<Step> ahead = new ArrayDeque<>();

  private long received;
  private long durable;

  /** What cannot be applied; it stops this when it is durable, for before it may be forgotten. */
  private @Nullable ApplyError failure;

  /** The failure was durable: this has stopped, whatever a later leader calls durable. */
  private boolean stopped;

  /** The failure is none of this machine's: the leader has a chunk and could not read it. */
  private boolean leadersFault;

  private Published published;

  /** The newest applied state, durable or not. */
  private Published head;

  private record Step(LogEntry entry, Published before, Published after) {}

  /** Hears of every applied entry, in order; must not block. */
  @FunctionalInterface
  public interface Listener {
    /** An entry has been applied, and is durable. */
    void applied(LogEntry entry, Published before, Published after);
  }

  /** S_0: everything comes from the log. */
  public Replica(WorkerChunks chunks, Listener listener) {
    this.chunks = chunks;
    this.listener = listener;
    FsState genesis = FsState.genesis();
    this.published = new Published(0, genesis, genesis.root());
    this.head = published;
  }

  /** The newest applied state that is durable. */
  public Published published() {
    return published;
  }

  /** The newest entry that has come, whether it is applied or not. */
  public long received() {
    return received;
  }

  /** Why nothing more is applied, or null. */
  public @Nullable ApplyError error() {
    return stopped ? failure : null;
  }

  /** Why it applies nothing more, or will not once that entry is known to be durable; or null. */
  public @Nullable ApplyError failure() {
    return failure;
  }

  /** How many entries are applied and not told of, because they are not known to be durable. */
  public int ahead() {
    return ahead.size();
  }

  /** How many chunks have been asked for and not arrived. */
  public int missingChunks() {
    return requested.size();
  }

  /**
   * Takes entries, durable at the leader or on their way to it. Ones that have been taken before on
   * this connection are passed over.
   *
   * @return the chunks that have to be fetched for them
   * @throws DecodeException if the bytes are no entries, or leave a gap
   */
  public List<ChunkRef> offer(List<byte[]> entries) throws DecodeException {
    List<ChunkRef> fetch = new ArrayList<>();
    for (byte[] bytes : entries) {
      LogEntry entry = LogEntryCodec.decode(bytes);
      if (entry.index() <= received) {
        continue;
      }
      if (entry.index() != received + 1) {
        throw new DecodeException(
            "entry " + entry.index() + " came after entry " + received + ": there is a gap");
      }
      received = entry.index();
      incoming.addLast(entry);
      if (entry.inlinePayload().length == 0) {
        for (ChunkRef chunk : entry.op().chunks()) {
          if (chunk.length() > 0
              && isMissing(chunk, entry.index())
              && requested.add(chunk.hash())) {
            fetch.add(chunk);
          }
        }
      }
    }
    return fetch;
  }

  /**
   * The connection is new: entries that are not applied and known to be durable will come again, or
   * others in their place; chunks are asked for again, also one that the leader could not read.
   */
  public void forgetNotDurable() {
    if (!stopped || leadersFault) {
      failure = null;
      stopped = false;
    }
    incoming.clear();
    requested.clear();
    ahead.clear();
    head = published;
    received = published.index();
  }

  /** A chunk is verified and stored. */
  public void chunkStored(Hash hash) {
    requested.remove(hash);
  }

  /** A chunk that has come cannot be stored: stops for good at the first entry that needs it. */
  public void chunkFailed(Hash hash, Errno errno, String message) {
    stopBefore(hash, errno, message, false);
  }

  /**
   * The leader cannot read a chunk: stops at the first entry that needs it, for this connection.
   */
  public void chunkUnavailable(Hash hash, Errno errno, String message) {
    stopBefore(hash, errno, message, true);
  }

  private void stopBefore(Hash hash, Errno errno, String message, boolean isLeadersFault) {
    for (LogEntry entry : incoming) {
      if (entry.op().chunks().stream().anyMatch(chunk -> chunk.hash().equals(hash))) {
        stop(entry.index(), errno, message, isLeadersFault);
        return;
      }
    }
  }

  /**
   * Applies what is whole, and tells of what is durable.
   *
   * @param limit at most so many entries are applied, and at most so many told of
   * @param durableIndex the newest entry that is known to be durable
   * @return how many were applied, and how many told of, in one sum; 0 if nothing was left to do
   */
  public int apply(int limit, long durableIndex) {
    durable = durableIndex;
    int applied = 0;
    while (applied < limit && !stopped) {
      LogEntry entry = incoming.peekFirst();
      if (entry == null || isHeldUp(entry)) {
        break;
      }
      if (!apply(entry)) {
        break;
      }
      incoming.removeFirst();
      applied++;
    }
    stopIfDurable();
    int told = 0;
    while (told < limit && !ahead.isEmpty() && ahead.getFirst().after.index() <= durable) {
      Step step = ahead.removeFirst();
      published = step.after;
      listener.applied(step.entry, step.before, step.after);
      told++;
    }
    return applied + told;
  }

  private boolean isMissing(ChunkRef chunk, long index) {
    try {
      return !chunks.contains(chunk.hash());
    } catch (ChunkStoreException e) {
      stop(index, e.errno(), String.valueOf(e.getMessage()), false);
      return false;
    }
  }

  private boolean isHeldUp(LogEntry entry) {
    if (failure != null && failure.logIndex() <= entry.index()) {
      return true;
    }
    if (requested.isEmpty() || entry.inlinePayload().length > 0) {
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
      int needed = entry.op().chunks().stream().mapToInt(ChunkRef::length).sum();
      if (needed != entry.inlinePayload().length) {
        String message = entry.inlinePayload().length + " bytes for chunks of " + needed;
        return refuse(entry, Errno.EIO, "the entry brings " + message);
      }
      try {
        chunks.storeInline(entry.op().chunks(), entry.inlinePayload());
      } catch (ChunkStoreException e) {
        if (e.errno() == Errno.EAGAIN || entry.index() > durable) {
          return false; // a slow disk, or nobody misses the entry yet: the next turn tries again
        }
        return refuse(entry, e.errno(), String.valueOf(e.getMessage()));
      }
    }
    Published before = head;
    Stamp stamp = new Stamp(entry.committedAtNs(), entry.createdNode());
    return switch (FsStateMachine.apply(before.state(), entry.op(), stamp)) {
      case Outcome.Failed(Errno errno) ->
          refuse(entry, Errno.EIO, "the op fails here with " + errno + ": states differ");
      case Outcome.Applied(FsState after) -> check(entry, before, after);
    };
  }

  private boolean check(LogEntry entry, Published before, FsState state) {
    Hash root = state.root();
    if (!root.equals(entry.root())) {
      return refuse(
          entry,
          Errno.EIO,
          "Merkle root mismatch: the log says " + entry.root() + ", replay gives " + root);
    }
    Invariant.APPLY_GROWS_BY_ONE.check(entry.index() == before.index() + 1);
    head = new Published(entry.index(), state, root);
    ahead.addLast(new Step(entry, before, head));
    return true;
  }

  private boolean refuse(LogEntry entry, Errno errno, String message) {
    stop(entry.index(), errno, message, false);
    return false;
  }

  private void stop(long index, Errno errno, String message, boolean isLeadersFault) {
    if (failure == null || (!stopped && index < failure.logIndex())) {
      failure = new ApplyError(index, errno, message);
      leadersFault = isLeadersFault;
      stopIfDurable();
    }
  }

  /** All before the failure is applied first (6.4.1), which may fail, too. */
  private void stopIfDurable() {
    if (failure != null && failure.logIndex() <= durable) {
      LogEntry next = incoming.peekFirst();
      stopped |= next == null || next.index() >= failure.logIndex();
    }
  }
}
