package io.hypersync.cli.trace;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.model.codec.CanonicalWriter;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.state.FsState;
import io.hypersync.model.trie.RootVersion;
import java.io.IOException;
import java.io.OutputStream;
import java.util.HashSet;
import java.util.Set;

/**
 * Writes a trace: entries in order, the chunks that they need, and a checkpoint now and then. Not
 * thread-safe. Does not close the stream.
 */
public final class TraceWriter {
  /** A checkpoint is written after this many entries. */
  public static final int CHECKPOINT_EVERY = 64;

  /** Source of chunks that are not inline in their entry. */
  @FunctionalInterface
  public interface ChunkSource {
    /**
     * Returns the bytes with this hash.
     *
     * @throws TraceException if there are none
     */
    byte[] bytes(Hash hash) throws IOException;
  }

  private final OutputStream out;
  private final ChunkSource source;
  private final Set<Hash> known = new HashSet<>();
  private Hash check;
  private Hash root;
  private long entries;
  private long chunks;
  private long checkpoint;

  /**
   * Writes the header.
   *
   * @param out should be buffered
   * @param roots the version of the entries' roots
   * @param source asked for each chunk at most once
   */
  public TraceWriter(OutputStream out, RootVersion roots, ChunkSource source) throws IOException {
    this.out = out;
    this.source = source;
    this.root = FsState.genesis(roots).root();
    byte[] header = TraceFormat.header(roots.code());
    out.write(header);
    check = Blake3.hash(header);
  }

  /**
   * Writes the next entry, preceded by the chunks that no earlier entry needed, and followed by a
   * checkpoint if one is due.
   *
   * @throws TraceException if the entry is not the next one, or a chunk is missing
   */
  public void entry(LogEntry entry) throws IOException {
    if (entry.index() != entries + 1) {
      throw new TraceException("entry " + entry.index() + " after entry " + entries);
    }
    boolean inline = entry.inlinePayload().length > 0;
    for (ChunkRef chunk : entry.op().chunks()) {
      if (known.add(chunk.hash()) && !inline) {
        byte[] bytes = source.bytes(chunk.hash());
        chunk(new Chunk(chunk.hash(), bytes));
      }
    }
    record(TraceFormat.ENTRY, LogEntryCodec.encode(entry));
    entries++;
    root = entry.root();
    if (entries % CHECKPOINT_EVERY == 0) {
      checkpoint();
    }
  }

  /** Writes the last checkpoint and the end record, and flushes. */
  public void finish() throws IOException {
    if (checkpoint < entries) {
      checkpoint();
    }
    record(
        TraceFormat.END,
        new CanonicalWriter(TraceFormat.END_BYTES).u64(entries).u64(chunks).toBytes());
    out.flush();
  }

  /** Returns the number of entries written so far. */
  public long entries() {
    return entries;
  }

  /** Returns the number of chunks written so far; inline payloads do not count. */
  public long chunks() {
    return chunks;
  }

  /** Returns the root of the last entry, or of the empty filesystem. */
  public Hash root() {
    return root;
  }

  private void chunk(Chunk chunk) throws IOException {
    record(
        TraceFormat.CHUNK,
        new CanonicalWriter(Hash.BYTES + chunk.bytes().length)
            .hash(chunk.hash())
            .raw(chunk.bytes())
            .toBytes());
    chunks++;
  }

  private void checkpoint() throws IOException {
    record(
        TraceFormat.CHECKPOINT,
        new CanonicalWriter(TraceFormat.CHECKPOINT_BYTES).u64(entries).hash(root).toBytes());
    checkpoint = entries;
  }

  private void record(int kind, byte[] payload) throws IOException {
    check = TraceFormat.check(check, kind, payload);
    CanonicalWriter record =
        new CanonicalWriter(TraceFormat.RECORD_HEADER_BYTES + payload.length + Hash.BYTES)
            .u8(kind)
            .bytes(payload)
            .hash(check);
    out.write(record.array(), 0, record.length());
  }
}
