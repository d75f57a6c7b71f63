package io.hypersync.leader.snapshot;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.ChunkRef;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes sure that chunks which came inside entries are in the chunk store. When they are committed
 * they are stored without a guarantee, because the log has them ({@code ChunkPort.storeInline}); a
 * snapshot is what a leader starts from without the log, so they must be there before it. They are
 * durable after the next sync of the store.
 */
public final class LoggedChunks {
  private static final Logger LOG = LoggerFactory.getLogger(LoggedChunks.class);
  private static final int READ_BYTES = 1 << 20;

  private final OpLog log;
  private final ChunkStore chunks;
  private final long last;
  private final boolean verifies;
  private final long collected;
  private long next;
  private boolean makesRoom;
  private long stored;

  private LoggedChunks(
      OpLog log, ChunkStore chunks, long after, long last, boolean verifies, long collected) {
    this.log = log;
    this.chunks = chunks;
    this.last = last;
    this.verifies = verifies;
    this.collected = collected;
    this.next = after + 1;
  }

  /**
   * Stores what is missing.
   *
   * @param after entries up to this one were looked at for an earlier snapshot; so were those that
   *     the log does not have any more
   * @param last the last entry to look at, which must be durable
   */
  public static LoggedChunks missing(OpLog log, ChunkStore chunks, long after, long last) {
    long looked = Math.max(after, log.firstIndex() - 1);
    return new LoggedChunks(log, chunks, looked, last, false, 0);
  }

  /**
   * The same for a snapshot that is to be taken, which makes room on a full disk: see {@link
   * ChunkStore#putAllToMakeRoom}.
   */
  public static LoggedChunks beforeSnapshot(OpLog log, ChunkStore chunks, long after, long last) {
    LoggedChunks missing = missing(log, chunks, after, last);
    missing.makesRoom = true;
    return missing;
  }

  /**
   * Stores what is missing or damaged, in all entries that the log still has. For the time after a
   * start from a snapshot, which looks at no chunk of an entry before it. What a collection may
   * have taken is stored again only if it is there and damaged: else each start would undo the
   * collections before it.
   *
   * @param last the last entry to look at, which must be durable
   * @param collected chunks of entries up to this one may have been collected
   */
  public static LoggedChunks damaged(OpLog log, ChunkStore chunks, long last, long collected) {
    return new LoggedChunks(log, chunks, log.firstIndex() - 1, last, true, collected);
  }

  /** How many chunks were stored. */
  public long stored() {
    return stored;
  }

  /**
   * Looks at some more entries, about a MiB of the log, and stores their chunks that are missing.
   *
   * @return whether there are more
   * @throws ChunkStoreException if the chunk store fails; ENOSPC if it is full
   * @throws IOException if the log cannot be read
   */
  public boolean step() throws IOException {
    if (verifies) { // what was trimmed meanwhile need not be looked at; a new snapshot misses it
      next = Math.max(next, log.firstIndex());
    }
    if (next > last) {
      return false;
    }
    List<byte[]> entries = new ArrayList<>();
    int count = log.read(next, READ_BYTES, (_, payload) -> entries.add(payload));
    if (count == 0) {
      throw new IOException("entry " + next + " of the log cannot be read");
    }
    List<Chunk> missing = new ArrayList<>();
    Set<Hash> seen = new HashSet<>();
    for (byte[] encoded : entries.subList(0, (int) Math.min(count, last - next + 1))) {
      collect(encoded, seen, missing);
    }
    if (!missing.isEmpty()) {
      if (makesRoom) {
        chunks.putAllToMakeRoom(missing);
      } else {
        chunks.putAll(missing);
      }
      stored += missing.size();
    }
    next += count;
    return next <= last;
  }

  private void collect(byte[] encoded, Set<Hash> seen, List<Chunk> missing) throws IOException {
    LogEntry entry;
    try {
      entry = LogEntryCodec.decode(encoded);
    } catch (DecodeException e) {
      throw new IOException("an entry of the log cannot be read: " + e.getMessage(), e);
    }
    List<ChunkRef> refs = entry.op().chunks();
    byte[] payload = entry.inlinePayload();
    if (payload.length == 0 || payload.length < refs.stream().mapToInt(ChunkRef::length).sum()) {
      return; // its chunks came by themselves, and were stored before it was logged
    }
    missing.addAll(
        Chunk.split(
            refs,
            payload,
            chunk ->
                chunk.length() > 0
                    && !seen.contains(chunk.hash())
                    && !isThere(chunk, entry.index() <= collected)
                    && seen.add(chunk.hash())));
  }

  /**
   * What is missing of an entry up to which chunks were collected counts as collected, though the
   * state may still have it, and the log the bytes. Such a chunk was durable in the store once,
   * when the snapshot was taken that the collection began with. So no crash takes it, only a disk
   * that loses what it had, and that is mended as for chunks which no log has: by a copy that a
   * worker has. To know here whether the state has it, each start would have to look at all its
   * chunks.
   */
  private boolean isThere(ChunkRef chunk, boolean mayBeCollected) {
    if (!verifies) {
      return chunks.contains(chunk.hash());
    }
    try {
      return chunks.getVerified(chunk.hash()) != null || mayBeCollected;
    } catch (ChunkStoreException e) {
      LOG.warn("a chunk is restored from the log: {}", e.getMessage());
      return false;
    }
  }
}
