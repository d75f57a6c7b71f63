package io.hypersync.worker;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.OpId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.FsOp;

/**
 * Makes log entries. What a test does not set: the intent is number {@code index} of one client,
 * the origin is worker w1, the time is the index, no node is created, and the root is zero.
 */
public final class Entries {
  private static final byte[] NOTHING = {};

  private final long index;
  private final FsOp op;
  private long committedAtNs;
  private IntentId intent;
  private WorkerId origin = new WorkerId("w1");
  private NodeId createdNode = LogEntry.NO_NODE;
  private Hash root = Hash.ZERO;
  private byte[] inlinePayload = NOTHING;

  private Entries(long index, FsOp op) {
    this.index = index;
    this.op = op;
    this.committedAtNs = index;
    this.intent = new IntentId(new ClientId(1, 1), index);
  }

  public static Entries of(long index, FsOp op) {
    return new Entries(index, op);
  }

  public Entries at(long ns) {
    committedAtNs = ns;
    return this;
  }

  public Entries intent(IntentId id) {
    intent = id;
    return this;
  }

  public Entries origin(WorkerId worker) {
    origin = worker;
    return this;
  }

  public Entries creating(NodeId node) {
    createdNode = node;
    return this;
  }

  public Entries root(Hash hash) {
    root = hash;
    return this;
  }

  public Entries inline(byte[] payload) {
    inlinePayload = payload;
    return this;
  }

  public LogEntry entry() {
    return new LogEntry(
        index,
        new OpId(1, index),
        committedAtNs,
        intent,
        origin,
        "",
        op,
        createdNode,
        root,
        NOTHING,
        inlinePayload);
  }
}
