package io.hypersync.trace;

import io.hypersync.cli.trace.TraceWriter;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.OpId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.snapshot.ManifestStates;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.FsStateMachine;
import io.hypersync.model.state.Outcome;
import io.hypersync.model.state.Stamp;
import io.hypersync.model.state.StateWeight;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

/** A log that is generated from a seed: what a leader would have committed, entry by entry. */
public final class TraceHistory {
  private static final int MAX_INLINE_BYTES = 200;
  private static final long START_NS = 1_800_000_000_000_000_000L;

  /** The version of the format that is written. */
  static final int VERSION = 3;

  /** So many that a state has some pages. */
  private static final int FILES = 130;

  private static final WorkspaceId WORKSPACE = new WorkspaceId(8, 8);

  private final Random random;
  private final TraceOps ops;
  private final List<LogEntry> entries = new ArrayList<>();
  private final List<byte[]> manifests = new ArrayList<>();
  private final Map<Hash, byte[]> pages = new HashMap<>();
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

  /**
   * A history of many files in which each state has its pages, and now and then an entry makes the
   * tree what it was before.
   */
  static TraceHistory restored(long seed, int entries) {
    TraceHistory history = new TraceHistory(seed);
    while (history.entries.size() < entries) {
      int next = history.entries.size() + 1;
      if (next < FILES) {
        history.apply(new FsOp.CreateFile(FsState.ROOT, Name.of("file " + next), 0644, 0, 0));
      } else if (next % 70 == 0) {
        history.apply(new FsOp.RestoreState(history.manifests.get(next / 2), List.of()));
      } else {
        history.step();
      }
      history.keep();
    }
    return history;
  }

  /**
   * The trace of such a history that begins with the state after an entry.
   *
   * @param entries how many the history has, the trimmed ones too
   */
  public static byte[] trimmed(long seed, int entries, int begin) throws IOException {
    return restored(seed, entries).trimmedTrace(begin);
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
    byte[] page = pages.get(hash);
    return page != null ? page : Objects.requireNonNull(ops.chunks().get(hash));
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

  /** The same without the entries up to one, whose state it begins with. */
  byte[] trimmedTrace(int begin) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    TraceWriter writer = new TraceWriter(out, state.version(), this::chunk);
    writer.begin(manifests.get(begin - 1));
    for (LogEntry entry : entries.subList(begin, entries.size())) {
      writer.entry(entry);
    }
    writer.finish();
    return out.toByteArray();
  }

  /** Makes a manifest of the newest state, once. */
  private void keep() {
    if (manifests.size() == entries.size()) {
      return;
    }
    PageWriter writer =
        PageWriter.complete(
            state.version(),
            page -> {
              Hash hash = Blake3.hash(page);
              pages.put(hash, page);
              return hash;
            });
    Manifest manifest =
        new Manifest(
            WORKSPACE,
            entries.size(),
            entries.getLast().committedAtNs(),
            StateWeight.of(state),
            state);
    manifests.add(manifest.write(writer).bytes());
  }

  private byte[] page(Hash hash) throws PageMissingException {
    byte[] page = pages.get(hash);
    if (page == null) {
      throw new PageMissingException(hash, "is missing");
    }
    return page;
  }

  private void step() {
    apply(FsStateMachine.resolve(state, ops.next(state)));
  }

  private void apply(FsOp op) {
    long index = entries.size() + 1L;
    long time = START_NS + index * 1_000_000_000L + random.nextInt(1_000_000_000);
    NodeId fresh = new NodeId(random.nextLong(), random.nextLong());
    Outcome outcome =
        FsStateMachine.apply(
            state,
            op,
            new Stamp(time, fresh),
            ManifestStates.verifying(WORKSPACE, state.version(), this::page));
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
