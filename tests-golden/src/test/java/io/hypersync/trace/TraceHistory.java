package io.hypersync.trace;

import io.hypersync.cli.trace.TraceWriter;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.OpId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.FsStateMachine;
import io.hypersync.model.state.Outcome;
import io.hypersync.model.state.Stamp;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;

/** A log that is generated from a seed: what a leader would have committed, entry by entry. */
public final class TraceHistory {
  private static final int MAX_INLINE_BYTES = 200;
  private static final long START_NS = 1_800_000_000_000_000_000L;

  private final Random random;
  private final TraceOps ops;
  private final List<LogEntry> entries = new ArrayList<>();
  private FsState state = FsState.genesis();

  private TraceHistory(long seed) {
    this.random = new Random(seed);
    this.ops = new TraceOps(random);
  }

  /** A history with this number of entries. */
  public static TraceHistory of(long seed, int entries) {
    TraceHistory history = new TraceHistory(seed);
    while (history.entries.size() < entries) {
      history.step();
    }
    return history;
  }

  /** The entries, entry 1 first. */
  public List<LogEntry> entries() {
    return entries;
  }

  /** The state after the last entry. */
  public FsState state() {
    return state;
  }

  Hash root() {
    return entries.getLast().root();
  }

  byte[] chunk(Hash hash) {
    return Objects.requireNonNull(ops.chunks().get(hash));
  }

  /** The history in the format of a trace. */
  public byte[] trace() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    TraceWriter writer = new TraceWriter(out, state.version(), this::chunk);
    for (LogEntry entry : entries) {
      writer.entry(entry);
    }
    writer.finish();
    return out.toByteArray();
  }

  private void step() {
    FsOp op = FsStateMachine.resolve(state, ops.next(state));
    long index = entries.size() + 1L;
    long time = START_NS + index * 1_000_000_000L + random.nextInt(1_000_000_000);
    NodeId fresh = new NodeId(random.nextLong(), random.nextLong());
    Outcome outcome = FsStateMachine.apply(state, op, new Stamp(time, fresh));
    if (!(outcome instanceof Outcome.Applied(FsState after))) {
      return;
    }
    NodeId created = after.node(fresh) == null ? LogEntry.NO_NODE : fresh;
    state = after;
    entries.add(
        new LogEntry(
            index,
            new OpId(random.nextLong(), random.nextLong()),
            time,
            new IntentId(new ClientId(7, random.nextInt(3)), index),
            new WorkerId(random.nextBoolean() ? "fmd" : "css"),
            random.nextInt(4) == 0 ? "agent-\u00e9" : "",
            op,
            created,
            after.root(),
            random.nextInt(20) == 0 ? new byte[] {1, 2, 3} : new byte[0],
            inline(op)));
  }

  /**
   * Small payloads are carried in the entry, as by the leader; here only some, so that both cases
   * occur.
   */
  private byte[] inline(FsOp op) {
    int bytes = op.chunks().stream().mapToInt(ChunkRef::length).sum();
    if (bytes > MAX_INLINE_BYTES || random.nextInt(3) == 0) {
      return new byte[0];
    }
    ByteArrayOutputStream payload = new ByteArrayOutputStream();
    for (ChunkRef chunk : op.chunks()) {
      payload.writeBytes(chunk(chunk.hash()));
    }
    return payload.toByteArray();
  }
}
