package io.hypersync.worker.replica;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
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
 * verified (hypersync.md 12.3). What it cannot apply it stops at, for good (6.4.1).
 *
 * <p>Single-threaded. What is applied here becomes visible through {@code
 * io.hypersync.worker.coherence}.
 */
public final class Replica {
  private final WorkerChunks chunks;
  private final Listener listener;
  private final ArrayDeque<LogEntry> incoming = new ArrayDeque<>();
  private final Set<Hash> requested = new HashSet<>();
  private long received;
  private @Nullable ApplyError error;
  private Published published;

  /** Hears of every applied entry, in order; must not block. */
  @FunctionalInterface
  public interface Listener {
    /** An entry has been applied. */
    void applied(LogEntry entry, Published before, Published after);
  }

  /** S_0: everything comes from the log. */
  public Replica(WorkerChunks chunks, Listener listener) {
    this.chunks = chunks;
    this.listener = listener;
    FsState genesis = FsState.genesis();
    this.published = new Published(0, genesis, genesis.root());
  }

  /** The newest applied state. */
  public Published published() {
    return published;
  }

  /** The newest entry that has come, whether it is applied or not. */
  public long received() {
    return received;
  }

  /** Why nothing more is applied, or null. */
  public @Nullable ApplyError error() {
    return error;
  }

  /** How many chunks have been asked for and not arrived. */
  public int missingChunks() {
    return requested.size();
  }

  /**
   * Takes entries that are durable at the leader. Ones that have been taken before are passed over.
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

  /** The connection is new: entries not applied yet will come again, chunks are asked for again. */
  public void forgetUnapplied() {
    incoming.clear();
    requested.clear();
    received = published.index();
  }

  /** A chunk is verified and stored. */
  public void chunkStored(Hash hash) {
    requested.remove(hash);
  }

  /** A chunk cannot be had: stops at the first entry that needs one. */
  public void chunkFailed(Hash hash, Errno errno, String message) {
    for (LogEntry entry : incoming) {
      if (entry.op().chunks().stream().anyMatch(chunk -> chunk.hash().equals(hash))) {
        stop(entry.index(), errno, message);
        return;
      }
    }
  }

  /**
   * Applies what is whole.
   *
   * @param limit at most so many entries
   * @return how many were applied
   */
  public int apply(int limit) {
    int applied = 0;
    while (applied < limit && error == null) {
      LogEntry entry = incoming.peekFirst();
      if (entry == null || !hasChunks(entry)) {
        break;
      }
      if (!apply(entry)) {
        break;
      }
      incoming.removeFirst();
      applied++;
    }
    return applied;
  }

  private boolean isMissing(ChunkRef chunk, long index) {
    try {
      return !chunks.contains(chunk.hash());
    } catch (ChunkStoreException e) {
      stop(index, e.errno(), String.valueOf(e.getMessage()));
      return false;
    }
  }

  private boolean hasChunks(LogEntry entry) {
    if (requested.isEmpty() || entry.inlinePayload().length > 0) {
      return true;
    }
    for (ChunkRef chunk : entry.op().chunks()) {
      if (requested.contains(chunk.hash())) {
        return false;
      }
    }
    return true;
  }

  private boolean apply(LogEntry entry) {
    if (entry.inlinePayload().length > 0) {
      int needed = entry.op().chunks().stream().mapToInt(ChunkRef::length).sum();
      if (needed != entry.inlinePayload().length) {
        String message = entry.inlinePayload().length + " bytes for chunks of " + needed;
        stop(entry.index(), Errno.EIO, "the entry brings " + message);
        return false;
      }
      try {
        chunks.storeInline(entry.op().chunks(), entry.inlinePayload());
      } catch (ChunkStoreException e) {
        if (e.errno() == Errno.EAGAIN) {
          return false; // a slow disk: the next turn tries again
        }
        stop(entry.index(), e.errno(), String.valueOf(e.getMessage()));
        return false;
      }
    }
    Published before = published;
    Stamp stamp = new Stamp(entry.committedAtNs(), entry.createdNode());
    return switch (FsStateMachine.apply(before.state(), entry.op(), stamp)) {
      case Outcome.Failed(Errno errno) -> {
        stop(entry.index(), Errno.EIO, "the op fails here with " + errno + ": states differ");
        yield false;
      }
      case Outcome.Applied(FsState after) -> publish(entry, before, after);
    };
  }

  private boolean publish(LogEntry entry, Published before, FsState state) {
    Hash root = state.root();
    if (!root.equals(entry.root())) {
      stop(
          entry.index(),
          Errno.EIO,
          "Merkle root mismatch: the log says " + entry.root() + ", replay gives " + root);
      return false;
    }
    Published after = new Published(entry.index(), state, root);
    published = after;
    listener.applied(entry, before, after);
    return true;
  }

  private void stop(long index, Errno errno, String message) {
    if (error == null) {
      error = new ApplyError(index, errno, message);
    }
  }
}
