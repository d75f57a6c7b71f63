package io.hypersync.leader.sequencer;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.hazard.Author;
import io.hypersync.model.hazard.CallContext;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.op.FsOp;
import java.util.LinkedHashSet;
import java.util.Set;

/** An intent that has been received and not yet sequenced; owned by {@link IntentQueue}. */
final class PendingIntent {
  /** Heap of the object, its ids, the names in its op and its rows in tables. */
  private static final int OVERHEAD_BYTES = 1_024;

  /** Heap of one chunk reference with its hash, and of its rows in the tables of missing chunks. */
  private static final int CHUNK_BYTES = 400;

  private final IntentId id;
  private final Author author;
  private final CallContext context;
  private final FsOp op;
  private final byte[] inlinePayload;
  private final long lockSession;
  private final Set<Hash> missing = new LinkedHashSet<>();
  private final IntentTimestamps times;
  private final long heapBytes;
  private long touchedNs;

  PendingIntent(
      IntentId id,
      Author author,
      CallContext context,
      FsOp op,
      byte[] inlinePayload,
      long lockSession,
      long nowNs) {
    this.id = id;
    this.author = author;
    this.context = context;
    this.op = op;
    this.inlinePayload = inlinePayload;
    this.lockSession = lockSession;
    this.times = new IntentTimestamps(nowNs);
    this.touchedNs = nowNs;
    this.heapBytes =
        OVERHEAD_BYTES
            + inlinePayload.length
            + context.paths().first().length
            + context.paths().second().length
            + (long) op.chunks().size() * CHUNK_BYTES;
  }

  IntentId id() {
    return id;
  }

  WorkerId origin() {
    return author.worker();
  }

  Author author() {
    return author;
  }

  CallContext context() {
    return context;
  }

  FsOp op() {
    return op;
  }

  byte[] inlinePayload() {
    return inlinePayload;
  }

  /** The lock session of the locks that it was made under; 0 if under none. */
  long lockSession() {
    return lockSession;
  }

  /** Whether every mention of this chunk in the op states this length. */
  boolean mentions(Hash hash, int length) {
    return op.chunks().stream()
        .allMatch(chunk -> !chunk.hash().equals(hash) || chunk.length() == length);
  }

  /** The chunks that have not arrived or are not verified yet; changed by {@link IntentQueue}. */
  Set<Hash> missing() {
    return missing;
  }

  /** Upper estimate of the bytes of heap that the intent takes while it waits. */
  long heapBytes() {
    return heapBytes;
  }

  /** When the intent passed each stage. */
  IntentTimestamps times() {
    return times;
  }

  /** When its worker last sent it or asked about it, in nanoseconds of the monotonic clock. */
  long touchedNs() {
    return touchedNs;
  }

  void touch(long nowNs) {
    touchedNs = nowNs;
  }
}
