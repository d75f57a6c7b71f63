package io.hypersync.leader.archive;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageVisitor;
import io.hypersync.model.trie.PageWalker;
import io.hypersync.snapshot.SeenHashes;
import io.hypersync.snapshot.Snapshot;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads all that the states of a backup lead to, each page and each chunk once, and compares it
 * with its hash. What is bad does not end it: the rest is read, too. Steps, so that whoever runs it
 * can say how far it is. Not thread-safe.
 */
public final class BackupCheck {
  /** How many of what is bad are named. */
  private static final int MOST_NAMED = 100;

  private static final int MOST_SEEN = 1 << 20;

  private final ChunkStore store;
  private final WorkspaceId workspace;
  private final SeenHashes seenPages = new SeenHashes(MOST_SEEN);
  private final SeenHashes seenChunks = new SeenHashes(MOST_SEEN);
  private final PageWalker walker = new PageWalker(this::page, new Visitor());
  private final Deque<Hash> chunks = new ArrayDeque<>();
  private final Deque<Snapshot> rest;
  private final List<Bad> named = new ArrayList<>();
  private @Nullable Snapshot current;
  private Hash lastPage = Hash.ZERO;

  /** What is wrong with the one that could not be read last. */
  private String why = "";

  private long states;
  private long chunkCount;
  private long pageCount;
  private long bytes;
  private long bad;

  /**
   * Something that is missing or damaged.
   *
   * @param what it is: {@code chunk} or {@code page}
   * @param state index of the first state in which it was found
   * @param why it is bad
   */
  public record Bad(String what, Hash hash, long state, String why) {}

  /**
   * What was found.
   *
   * @param states that were read
   * @param bad how many pages and chunks are missing or damaged
   * @param named the first of them
   */
  public record Result(
      long states, long chunks, long pages, long bytes, long bad, List<Bad> named) {}

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

  /** A check of these states that has read nothing yet. */
  public BackupCheck(ChunkStore store, WorkspaceId workspace, List<Snapshot> states) {
    this.store = store;
    this.workspace = workspace;
    this.rest = new ArrayDeque<>(states);
  }

  /**
   * Reads the next page or chunk.
   *
   * @return whether there may be another one
   */
  public boolean step() {
    Hash chunk = chunks.poll();
    if (chunk != null) {
      if (read(chunk) == null) {
        found("chunk", chunk, why);
      }
      return true;
    }
    try {
      if (walker.step()) {
        return true;
      }
    } catch (PageMissingException e) {
      found("page", walker.skip().page(), why);
      return true;
    } catch (DecodeException e) {
      found("page", lastPage, String.valueOf(e.getMessage()));
      return true;
    }
    states += current == null ? 0 : 1;
    current = rest.poll();
    if (current == null) {
      return false;
    }
    try {
      Manifest.walk(current.manifest(), workspace, walker);
    } catch (DecodeException e) {
      found("manifest", current.hash(), String.valueOf(e.getMessage()));
    }
    return true;
  }

  /** What was found so far. */
  public Result result() {
    return new Result(states, chunkCount, pageCount, bytes, bad, List.copyOf(named));
  }

  private byte[] page(Hash page) throws PageMissingException {
    lastPage = page;
    byte[] found = read(page);
    if (found == null) {
      throw new PageMissingException(page, why);
    }
    return found;
  }

  private byte @Nullable [] read(Hash hash) {
    try {
      byte[] found = store.getVerifiedFromDisk(hash);
      why = "missing";
      bytes += found == null ? 0 : found.length;
      return found;
    } catch (ChunkStoreException e) {
      why = String.valueOf(e.getMessage());
      return null;
    }
  }

  private void found(String what, Hash hash, String reason) {
    bad++;
    if (named.size() < MOST_NAMED) {
      named.add(new Bad(what, hash, current == null ? 0 : current.index(), reason));
    }
  }
}
