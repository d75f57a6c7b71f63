package io.hypersync.cli.trace;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.model.codec.CanonicalWriter;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.FsState;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageVisitor;
import io.hypersync.model.trie.PageWalker;
import io.hypersync.model.trie.RootVersion;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.Set;

/**
 * Writes a trace: perhaps a state to begin with, entries in order, the chunks and pages that they
 * need, and a checkpoint now and then. Not thread-safe. Does not close the stream.
 */
public final class TraceWriter {
  /** A checkpoint is written after this many entries. */
  public static final int CHECKPOINT_EVERY = 64;

  /** Source of chunks that are not inline in their entry, and of pages. */
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
  private final WalkedPages walked = new WalkedPages();
  private Hash check;
  private Hash root;
  private long begin;
  private long entries;
  private long chunks;
  private long checkpoint;

  /**
   * Writes the header. Entry 1 is the first one, unless {@link #begin} is called.
   *
   * @param out should be buffered
   * @param roots the version of the entries' roots
   * @param source asked for each chunk at most once, and once for each page
   */
  public TraceWriter(OutputStream out, RootVersion roots, ChunkSource source) throws IOException {
    this.out = out;
    this.source = source;
    this.root = FsState.genesis(roots).root();
    byte[] header = TraceFormat.header(TraceFormat.VERSION, roots);
    out.write(header);
    check = Blake3.hash(header);
  }

  /**
   * Writes the state that the first entry follows, with its pages. The content of its files is not
   * written: no root depends on it but by its hashes.
   *
   * @param manifest of the state, as a snapshot has it
   * @throws IllegalStateException if an entry was written already
   * @throws TraceException if a page is missing, or the state has roots of another version
   */
  public void begin(byte[] manifest) throws IOException {
    if (begin + entries > 0) {
      throw new IllegalStateException("the trace has begun");
    }
    try {
      pages(manifest);
      record(TraceFormat.STATE, manifest);
      begin = Manifest.index(manifest);
      root = Manifest.root(manifest);
      checkpoint = begin;
    } catch (DecodeException e) {
      throw new TraceException("no snapshot to begin with: " + e.getMessage());
    }
  }

  /** The entry whose state the trace begins with; 0 for the empty filesystem. */
  public long begin() {
    return begin;
  }

  /**
   * Writes the next entry, preceded by the chunks that no earlier entry needed, and by the pages of
   * the state that it restores; followed by a checkpoint if one is due.
   *
   * @throws TraceException if the entry is not the next one, or a chunk or a page is missing
   */
  public void entry(LogEntry entry) throws IOException {
    if (entry.index() != begin + entries + 1) {
      throw new TraceException("entry " + entry.index() + " after entry " + (begin + entries));
    }
    if (entry.op() instanceof FsOp.RestoreState(byte[] manifest, _, _)) {
      try {
        pages(manifest);
      } catch (DecodeException e) {
        throw new TraceException(
            "what entry " + entry.index() + " restores cannot be read: " + e.getMessage());
      }
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
    if (checkpoint < begin + entries) {
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

  /** Returns the number of chunks and pages written so far; inline payloads do not count. */
  public long chunks() {
    return chunks;
  }

  /** Returns the root of the last entry, or of the state that the trace begins with. */
  public Hash root() {
    return root;
  }

  /** Writes what is not written yet of the pages that a manifest leads to. */
  private void pages(byte[] manifest) throws IOException, DecodeException {
    PageWalker walker = new PageWalker(this::page, walked);
    Manifest.walk(manifest, Manifest.workspace(manifest), walker);
    try {
      while (walker.step()) {}
    } catch (PageMissingException e) {
      throw new TraceException(String.valueOf(e.getMessage()));
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** A page that the walk has come to; a file may have had the same bytes before. */
  private byte[] page(Hash hash) {
    try {
      byte[] bytes = source.bytes(hash);
      if (known.add(hash)) {
        chunk(new Chunk(hash, bytes));
      }
      return bytes;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Comes to each page once. */
  private static final class WalkedPages implements PageVisitor {
    private final Set<Hash> pages = new HashSet<>();

    @Override
    public boolean page(Hash page) {
      return pages.add(page);
    }

    @Override
    public void chunk(Hash chunk) {
      // Content is written with the entry that brings it.
    }
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
        new CanonicalWriter(TraceFormat.CHECKPOINT_BYTES)
            .u64(begin + entries)
            .hash(root)
            .toBytes());
    checkpoint = begin + entries;
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
