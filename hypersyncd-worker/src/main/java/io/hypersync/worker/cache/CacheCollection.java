package io.hypersync.worker.cache;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.CollectionProgress;
import io.hypersync.chunkstore.CollectionRun;
import io.hypersync.chunkstore.UsedChunks;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageVisitor;
import io.hypersync.model.trie.PageWalker;
import io.hypersync.snapshot.NeededPages;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.SeenHashes;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.StoredPages;
import io.hypersync.worker.port.CacheReport;
import io.hypersync.worker.port.CacheRoots;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One collection of a worker's chunks, step by step. An exception ends it: before the sweep nothing
 * was removed, and a sweep can be broken off anywhere ({@link CollectionRun}).
 *
 * <p>Kept are the chunks of the visible state and of entries that come behind it, the pages of this
 * worker's snapshots, and what is here of the states of the past that it has mounted. What the
 * snapshots' files contain is not: a worker that starts from one shows nothing before it has caught
 * up, and fetches what its newest state needs.
 */
public final class CacheCollection implements PageVisitor {
  private static final int NODES_PER_STEP = 2_000;

  /** What looking at a node costs of the limit. */
  private static final long NODE_BYTES = 256;

  private static final int PAGES_PER_STEP = 16;
  private static final long PAGE_BYTES = 8 << 10;

  /** What one step sweeps. */
  private static final long SWEEP_BYTES = 1 << 20;

  private enum Step {
    STATE,
    PASTS,
    SNAPSHOTS,
    MEMORY,
    SWEEP,
    DONE
  }

  /**
   * What a run works on.
   *
   * @param recent the chunks that were used lately
   * @param needed the pages that nodes in memory need, asked for after the run has begun
   * @param maxPages how many pages are remembered as read, 43 bytes of heap each
   * @param limit asked for what each step reads or writes, in bytes
   */
  public record Environment(
      ChunkStore chunks,
      WorkspaceId workspace,
      CacheLimits limits,
      UsedChunks recent,
      Supplier<List<PageCache.Needed>> needed,
      int maxPages,
      RateLimit limit) {}

  private final CollectionRun run;
  private final CacheRoots roots;
  private final Environment at;
  private final Predicate<Hash> isWanted;
  private final SeenHashes pages;
  private final PageWalker walker;
  private final Deque<Snapshot> rest;

  /** Comes to pages of its own: those that are not here must not count as read. */
  private final PageWalker pastWalker;

  private final Deque<byte[]> pasts;
  private Step step = Step.STATE;

  /** Asked for when all snapshots are marked. */
  private final NeededPages needed;

  private @Nullable CollectionProgress measured;

  /**
   * Prepares the run.
   *
   * @param run has begun before the roots were taken
   * @throws ChunkStoreException if the store fails
   */
  public CacheCollection(CollectionRun run, CacheRoots roots, Environment at) {
    this.run = run;
    this.roots = roots;
    this.at = at;
    this.isWanted = roots.evicts() ? wanted(at) : _ -> true;
    this.pages = new SeenHashes(at.maxPages());
    this.walker = new PageWalker(new StoredPages(at.chunks(), RateLimit.NONE), this);
    this.rest = new ArrayDeque<>(roots.snapshots());
    SeenHashes pastPages = new SeenHashes(at.maxPages());
    this.pastWalker =
        new PageWalker(new StoredPages(at.chunks(), RateLimit.NONE), new PastVisitor(pastPages));
    this.pasts = new ArrayDeque<>(roots.pasts());
    this.needed = new NeededPages(at.needed());
  }

  private static Predicate<Hash> wanted(Environment at) {
    Predicate<Hash> newest = at.chunks().newest(at.limits().newestBytes());
    return chunk -> at.recent().contains(chunk) || newest.test(chunk);
  }

  /**
   * Does the next step.
   *
   * @return whether there is another one
   * @throws ChunkStoreException if the chunk store fails; ENOSPC if there is no room to copy
   * @throws PageMissingException if a page of the visible state or of a snapshot cannot be read
   * @throws DecodeException if a page of a snapshot is not understood
   */
  public boolean step() throws DecodeException, PageMissingException {
    boolean goesOn = false;
    try {
      goesOn = next();
      return goesOn;
    } finally {
      if (!goesOn) {
        run.close();
      }
    }
  }

  private boolean next() throws DecodeException, PageMissingException {
    switch (step) {
      case STATE -> {
        if (!roots.visible().isDone()) {
          at.limit().spend(NODES_PER_STEP * NODE_BYTES);
          roots.visible().step(NODES_PER_STEP, walker);
        } else if (!readPages()) {
          roots.mentioned().forEach(run::mark);
          step = pasts.isEmpty() ? Step.SNAPSHOTS : Step.PASTS;
        }
      }
      case PASTS -> {
        if (!readWhatIsHere(pastWalker) && !nextPast()) {
          step = Step.SNAPSHOTS;
        }
      }
      case SNAPSHOTS -> {
        if (!readPages() && !nextSnapshot()) {
          step = Step.MEMORY;
        }
      }
      case MEMORY -> {
        if (!readWhatIsHere(walker) && !needed.next(walker, NODES_PER_STEP)) {
          step = Step.SWEEP;
        }
      }
      case SWEEP -> {
        at.limit().spend(SWEEP_BYTES);
        CollectionProgress now = run.sweep(SWEEP_BYTES);
        if (measured == null && now.phase() != CollectionProgress.Phase.MEASURING) {
          measured = now;
        }
        if (now.isDone()) {
          var _ = run.finish();
          step = Step.DONE;
        }
      }
      case DONE -> throw new IllegalStateException("the collection has ended");
    }
    return step != Step.DONE;
  }

  private void chunkOfState(Hash chunk) {
    if (isWanted.test(chunk)) {
      boolean _ = run.mark(chunk);
    }
  }

  /** Reads some pages; false if all that was walked over so far is read. */
  private boolean readPages() throws DecodeException, PageMissingException {
    at.limit().spend(PAGES_PER_STEP * PAGE_BYTES);
    for (int i = 0; i < PAGES_PER_STEP; i++) {
      if (!walker.step()) {
        return false;
      }
    }
    return true;
  }

  /**
   * Reads some pages that need not be here: those of states of the past, and of older states that
   * are still in memory, such as one whose install has ended early because a newer snapshot came.
   * What is not here is fetched by whoever looks at it, and so is what only that leads to.
   */
  private boolean readWhatIsHere(PageWalker from) throws DecodeException {
    at.limit().spend(PAGES_PER_STEP * PAGE_BYTES);
    for (int i = 0; i < PAGES_PER_STEP; i++) {
      try {
        if (!from.step()) {
          return false;
        }
      } catch (PageMissingException e) {
        var _ = from.skip();
      }
    }
    return true;
  }

  private boolean nextPast() throws DecodeException {
    byte[] next = pasts.poll();
    if (next == null) {
      return false;
    }
    Manifest.walk(next, at.workspace(), pastWalker);
    return true;
  }

  private boolean nextSnapshot() throws DecodeException {
    Snapshot next = rest.poll();
    if (next == null) {
      return false;
    }
    Manifest.walk(next.manifest(), at.workspace(), walker);
    return true;
  }

  /** Marks what is here of states of the past. */
  private final class PastVisitor implements PageVisitor {
    private final SeenHashes seen;

    PastVisitor(SeenHashes seen) {
      this.seen = seen;
    }

    @Override
    public boolean page(Hash page) {
      boolean _ = run.mark(page);
      return seen.add(page);
    }

    @Override
    public void chunk(Hash chunk) {
      chunkOfState(chunk);
    }
  }

  @Override
  public boolean page(Hash page) {
    boolean _ = run.mark(page);
    return pages.add(page);
  }

  @Override
  public void chunk(Hash chunk) {
    if (step == Step.STATE) { // what a file had in another state is not needed
      chunkOfState(chunk);
    }
  }

  /** How far it is, in words for a person. */
  public String progress() {
    return switch (step) {
      case STATE, PASTS, SNAPSHOTS, MEMORY -> "marking: read " + pages.count() + " pages";
      case SWEEP, DONE -> run.progress().describeSweep();
    };
  }

  /**
   * What was done, after the last step.
   *
   * @param storeBytes what the store takes now
   * @param tookNs since the run has begun
   */
  public CacheReport result(long storeBytes, long tookNs) {
    CollectionProgress first = measured;
    if (step != Step.DONE || first == null) {
      throw new IllegalStateException("the collection is not done");
    }
    CollectionProgress done = run.progress();
    return new CacheReport(
        roots.evicts(),
        done.liveBytes(),
        first.deadBeforeBytes(),
        done.freedBytes(),
        done.chunksRemoved(),
        done.unreadableChunks(),
        storeBytes,
        tookNs);
  }
}
