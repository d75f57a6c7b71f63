package io.hypersync.leader.backup;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageVisitor;
import io.hypersync.model.trie.PageWalker;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.SeenHashes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Copies all pages of a state, and all chunks that its files and extended attributes have, from one
 * chunk store to another, in steps. What is there already stays, so after an interruption another
 * copy goes on where this one was, and a later state of the same workspace costs what is new in it.
 *
 * <p>Every page of the state is walked, also those that are there: that one is there does not say
 * that what it leads to is. A copy that has come to its end has found, or stored, everything. It is
 * durable after a sync of the target.
 *
 * <p>Everything that is copied has its hash. Bounded: it holds the references on one path, the
 * chunks of one page, and a batch. Not thread-safe.
 */
public final class StateCopy {
  private static final int BATCH_CHUNKS = 64;
  private static final int BATCH_BYTES = 1 << 20;

  /** What a read counts for at least: a seek costs something, too. */
  private static final int LEAST_READ_BYTES = 4 << 10;

  private final ChunkStore source;
  private final ChunkStore target;
  private final Trust trust;
  private final RateLimit limit;
  private final SeenHashes seenPages;
  private final SeenHashes seenChunks;
  private final PageWalker walker = new PageWalker(this::page, new Visitor());

  /** Chunks of the page that was read last, which come before the next page. */
  private final Deque<Hash> chunks = new ArrayDeque<>();

  private final List<Chunk> batch = new ArrayList<>();
  private int batchBytes;
  private long chunkCount;
  private long pageCount;
  private long copiedChunks;
  private long copiedPages;
  private long copiedBytes;

  /** What counts as there in the target. */
  public enum Trust {
    /** What its index has. */
    INDEX,
    /** What can be read there, and has its hash. What cannot is stored again. */
    CONTENT
  }

  /** A chunk, or a page, that the source does not have whole. */
  public static final class SourceException extends Exception {
    private static final long serialVersionUID = 1L;

    SourceException(String what) {
      super(what);
    }
  }

  private static final class UnreadableException extends Exception {
    private static final long serialVersionUID = 1L;

    UnreadableException(String what) {
      super(what);
    }
  }

  private final class Visitor implements PageVisitor {
    @Override
    public boolean page(Hash page) {
      boolean isNew = seenPages.add(page);
      pageCount += isNew ? 1 : 0;
      return isNew;
    }

    @Override
    public void chunk(Hash chunk) {
      if (seenChunks.add(chunk)) {
        chunkCount++;
        chunks.add(chunk);
      }
    }
  }

  /**
   * A copy that has done nothing yet.
   *
   * @param manifest of the state; its hash has been checked
   * @param workspace which the manifest must be of
   * @param limit asked for the bytes of each read of content
   * @param mostPages how many pages are remembered as seen, at least 1
   * @param mostChunks how many chunks are
   * @throws DecodeException if the manifest is none, or is of another workspace
   */
  public StateCopy(
      byte[] manifest,
      WorkspaceId workspace,
      ChunkStore source,
      ChunkStore target,
      Trust trust,
      RateLimit limit,
      int mostPages,
      int mostChunks)
      throws DecodeException {
    this.source = source;
    this.target = target;
    this.trust = trust;
    this.limit = limit;
    this.seenPages = new SeenHashes(mostPages);
    this.seenChunks = new SeenHashes(mostChunks);
    Manifest.walk(manifest, workspace, walker);
  }

  /**
   * Copies the next page or chunk.
   *
   * @return whether there may be another one
   * @throws SourceException if the source does not have it, or it is damaged there
   * @throws ChunkStoreException if the target fails; ENOSPC if it is full
   */
  public boolean step() throws SourceException {
    Hash chunk = chunks.poll();
    if (chunk != null) {
      chunk(chunk);
      return true;
    }
    try {
      if (walker.step()) {
        return true;
      }
    } catch (PageMissingException | DecodeException e) {
      throw new SourceException(String.valueOf(e.getMessage()));
    }
    flush();
    return false;
  }

  /** How far it is. */
  public CopyProgress progress() {
    return new CopyProgress(chunkCount, pageCount, copiedChunks, copiedPages, copiedBytes);
  }

  private void chunk(Hash chunk) throws SourceException {
    if (isThere(chunk)) {
      return;
    }
    try {
      store(chunk, read(chunk));
      copiedChunks++;
    } catch (UnreadableException e) {
      throw new SourceException("chunk " + chunk + " " + e.getMessage());
    }
  }

  /** For the walker, which has to read it whether it is there or not. */
  private byte[] page(Hash page) throws PageMissingException {
    try {
      byte[] bytes = read(page);
      if (!isThere(page)) {
        store(page, bytes);
        copiedPages++;
      }
      return bytes;
    } catch (UnreadableException e) {
      throw new PageMissingException(page, String.valueOf(e.getMessage()));
    }
  }

  private byte[] read(Hash hash) throws UnreadableException {
    String wrong = "is missing";
    try {
      byte[] bytes = source.getVerifiedFromDisk(hash);
      if (bytes != null) {
        limit.spend(Math.max(LEAST_READ_BYTES, bytes.length));
        return bytes;
      }
    } catch (ChunkStoreException e) {
      wrong = "cannot be read: " + e.getMessage();
    }
    throw new UnreadableException(wrong);
  }

  private boolean isThere(Hash hash) {
    if (trust == Trust.INDEX) {
      return target.contains(hash);
    }
    try {
      byte[] there = target.getVerifiedFromDisk(hash);
      limit.spend(Math.max(LEAST_READ_BYTES, there == null ? 0 : there.length));
      return there != null;
    } catch (ChunkStoreException e) {
      if (e.errno() != Errno.EIO) {
        throw e;
      }
      return false; // it is damaged, and is stored again
    }
  }

  private void store(Hash hash, byte[] bytes) {
    batch.add(new Chunk(hash, bytes));
    batchBytes += bytes.length;
    copiedBytes += bytes.length;
    if (batch.size() >= BATCH_CHUNKS || batchBytes >= BATCH_BYTES) {
      flush();
    }
  }

  private void flush() {
    if (!batch.isEmpty()) {
      target.putAll(List.copyOf(batch));
      batch.clear();
      batchBytes = 0;
    }
  }
}
