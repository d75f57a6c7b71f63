package io.hypersync.worker.install;

import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageSource;
import io.hypersync.model.trie.PageVisitor;
import io.hypersync.model.trie.PageWalker;
import io.hypersync.runtime.progress.Progress;
import io.hypersync.runtime.progress.ProgressMeter;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.wire.message.LeaderMessage.SnapshotOffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Gets the pages of one snapshot that this worker does not have (hypersync.md 13.2), while it
 * serves already; before that only the orphans, which must be known from the begin. It walks from
 * the manifest down. A page that is here is read, and leads to others; one that is not is fetched,
 * which verifies and stores it, and the walk waits for it. So all progress is in the store, and
 * after a lost connection or a crash another walk finds it there.
 *
 * <pre>
 *   manifest --&gt; page (here) --&gt; page (here)
 *                          \--&gt; page (wanted) --fetch--&gt; in flight --stored--&gt; here
 * </pre>
 *
 * <p>What a leader can make it do is bounded: the weight of the state says how many pages there can
 * be; {@link #MAX_IN_FLIGHT} are fetched at a time; and no page is fetched again and again.
 * Single-threaded, on the agent's thread.
 */
public final class SnapshotInstall {
  /** How many pages are fetched at a time. */
  public static final int MAX_IN_FLIGHT = 64;

  /** How many pages are read in one turn of the agent, whose callers wait meanwhile. */
  private static final int SLICE = 4;

  /** What of a snapshot is needed. */
  public enum Part {
    /** What a replica must know when it begins. */
    ORPHANS,
    /** Everything. */
    ALL
  }

  /**
   * A page takes more than 1 KiB, and a state weighs more than its pages take; this leaves room for
   * both.
   */
  private static final int LEAST_WEIGHT_PER_PAGE = 256;

  /** Pages of a state that weighs next to nothing. */
  private static final long SOME_PAGES = 64;

  private final SnapshotOffer offer;
  private final Predicate<Hash> isHere;
  private final Consumer<List<ChunkRef>> fetch;
  private final PageWalker walker;
  private final WalkProgress progress = new WalkProgress();
  private final ProgressMeter meter = new ProgressMeter();
  private final long maxPages;
  private final Set<Hash> seen = new HashSet<>();
  private final Set<Hash> inFlight = new LinkedHashSet<>();

  /** Pages that are not here and not in flight; the one that the walk needs next is the first. */
  private final ArrayDeque<Hash> wanted = new ArrayDeque<>();

  /** What the walk has read last. */
  private Hash lastRead = Hash.ZERO;

  private int lastLength;
  private long fetched;

  /** How many of these for no fault of theirs. */
  private long repeated;

  private boolean complete;

  /**
   * Begins an install.
   *
   * @param maxStateBytes the heaviest state that this worker has memory for; {@code Long.MAX_VALUE}
   *     if it need not be in memory as a whole
   * @param store reads pages that are here
   * @param isHere whether the store has a page, intact or not
   * @param fetch asks the leader for chunks
   * @throws InstallException if the offer contradicts itself, is of another workspace, or the state
   *     does not fit into memory
   */
  public SnapshotInstall(
      SnapshotOffer offer,
      Part part,
      WorkspaceId workspace,
      long maxStateBytes,
      PageSource store,
      Predicate<Hash> isHere,
      Consumer<List<ChunkRef>> fetch)
      throws InstallException {
    this.offer = offer;
    this.isHere = isHere;
    this.fetch = fetch;
    this.walker =
        new PageWalker(
            page -> {
              byte[] bytes = store.get(page);
              lastRead = page;
              lastLength = bytes.length;
              return bytes;
            },
            new Pages());
    try {
      long weight = Manifest.weight(offer.manifest());
      if (Manifest.index(offer.manifest()) != offer.index()
          || !Manifest.root(offer.manifest()).equals(offer.root())) {
        throw new InstallException("the leader offers a snapshot of another entry than it says");
      }
      if (weight > maxStateBytes) {
        throw InstallException.lackOfMemory(
            "the state after entry "
                + offer.index()
                + " takes "
                + (weight >> 20)
                + " MiB of memory, and this worker has room for "
                + (maxStateBytes >> 20));
      }
      this.maxPages = weight / LEAST_WEIGHT_PER_PAGE + SOME_PAGES;
      if (part == Part.ORPHANS) {
        Manifest.walkOrphans(offer.manifest(), workspace, walker);
      } else {
        Manifest.walk(offer.manifest(), workspace, walker);
      }
      progress.begun();
    } catch (DecodeException e) {
      throw new InstallException("the leader offers what is no snapshot: " + e.getMessage());
    }
  }

  /** Told of pages before they are read. */
  private final class Pages implements PageVisitor {
    @Override
    public boolean page(Hash page) {
      if (!seen.add(page)) {
        return false;
      }
      progress.found(page);
      if (!isHere.test(page)) {
        wanted.addFirst(page);
      }
      return true;
    }

    @Override
    public void chunk(Hash chunk) {
      // a reader that needs it fetches it
    }
  }

  /** Whether all pages are here, and have been read. */
  public boolean isComplete() {
    return complete;
  }

  /** Whether this page was asked for and has not arrived. */
  public boolean isWaitingFor(Hash page) {
    return inFlight.contains(page);
  }

  /** How many pages were asked for so far. */
  public long fetched() {
    return fetched;
  }

  /** Index of the last entry of the snapshot. */
  public long index() {
    return offer.index();
  }

  /** How many of its pages are here and were read. */
  public long pages() {
    return progress.pages();
  }

  /** About how many pages it has ({@link WalkProgress}); exact once it is complete. */
  public long pagesInAll() {
    return progress.pagesInAll();
  }

  /** Length in bytes of the pages that are here and were read. */
  public long bytes() {
    return progress.bytes();
  }

  /** About the length of all its pages, in bytes. */
  public long bytesInAll() {
    return progress.bytesInAll();
  }

  /** How fast pages come, and how long the rest takes. */
  public Progress progress() {
    return meter.towards(pagesInAll());
  }

  /** The snapshot, as the catalog has it. */
  public Snapshot snapshot(long takenNs) {
    return new Snapshot(offer.index(), takenNs, fetched, 0, false, "", offer.manifest());
  }

  /** A chunk was stored, perhaps a page. */
  public void stored(Hash hash) {
    inFlight.remove(hash);
  }

  /** A page cannot be had, or stored, just now: it is asked for again. */
  public void failed(Hash page) {
    if (inFlight.remove(page)) {
      repeated++;
      wanted.addLast(page);
    }
  }

  /** The leader is away: what was on its way is asked for again. */
  public void leaderLost() {
    repeated += inFlight.size();
    wanted.addAll(inFlight);
    inFlight.clear();
  }

  /**
   * Reads some pages, and asks for some.
   *
   * @param nowNs monotonic; for {@link #progress}
   * @return whether any page was read or asked for
   * @throws InstallException if the pages are not what a snapshot has
   */
  public boolean work(long nowNs) throws InstallException {
    if (complete) {
      return false;
    }
    // The goal does not move, it is only not known yet: so 0 does as well as another number.
    meter.sample(nowNs, progress.pages(), 0);
    int read = 0;
    try {
      while (read < SLICE && !complete) {
        complete = !walker.step();
        if (!complete) {
          progress.read(lastRead, lastLength);
        }
        read++;
        if (seen.size() > maxPages) {
          throw new InstallException("the snapshot has more pages than its state can have");
        }
      }
    } catch (PageMissingException e) {
      want(e.page());
    } catch (DecodeException e) {
      throw new InstallException("the leader sent what is no snapshot: " + e.getMessage());
    }
    meter.sample(nowNs, progress.pages(), 0);
    return fetchSome() || read > 0;
  }

  /** The walk cannot go on without this page. It may be damaged here. */
  private void want(Hash page) {
    if (!inFlight.contains(page) && !page.equals(wanted.peekFirst())) {
      wanted.remove(page);
      wanted.addFirst(page);
    }
  }

  private boolean fetchSome() throws InstallException {
    List<ChunkRef> asked = new ArrayList<>();
    while (inFlight.size() < MAX_IN_FLIGHT && !wanted.isEmpty()) {
      Hash page = wanted.removeFirst();
      if (inFlight.add(page)) {
        // The length is not known before the page is here; the leader goes by the hash.
        asked.add(new ChunkRef(page, ChunkRef.MAX_LENGTH));
      }
    }
    fetched += asked.size();
    if (fetched > 2 * maxPages + repeated) {
      throw new InstallException("pages cannot be read here though they were stored");
    }
    if (!asked.isEmpty()) {
      fetch.accept(asked);
    }
    return !asked.isEmpty();
  }
}
