package io.hypersync.worker.backfill;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.state.Extent;
import io.hypersync.model.state.FileContent;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.Xattr;
import io.hypersync.model.trie.TrieKey;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Fetches the chunks of files that this worker does not have, while it serves: those of a snapshot
 * that it has installed (hypersync.md 13.2), and those of entries which it has applied without them
 * because the leader had collected chunks of their range. Until then a read of such a file fetches
 * what it needs, and fails without the leader; afterwards all reads are local again.
 *
 * <p>One pass looks at every node of the state once, in the order of keys, some in each turn. It
 * holds no state from one turn to the next: what comes into the state meanwhile comes with its
 * chunks, except extents that are moved ({@link #extentsMoved}) and chunks that nobody has ({@link
 * #missing}). Few chunks are on their way at a time, so that a reader's own fetch does not wait for
 * long behind them. A pass in which something could not be had is followed by another one, after a
 * pause that gets longer while none brings anything.
 *
 * <p>Single-threaded, on the agent's thread.
 */
public final class Backfill {
  /** How many chunks are on their way at a time: 1 MiB at most. */
  public static final int MAX_IN_FLIGHT = 16;

  /** How many nodes and chunks are looked at in one turn of the agent. */
  private static final int SLICE = 64;

  /** Least time between two such turns: callers wait for the same thread. */
  private static final long EVERY_NS = 5_000_000L;

  /** First pause before another pass if chunks could not be had; doubled up to the longest. */
  private static final long PAUSE_NS = 60_000_000_000L;

  private static final long LONGEST_PAUSE_NS = 64 * PAUSE_NS;

  private final Predicate<Hash> isHere;
  private final Set<Hash> inFlight = new HashSet<>();

  /** Whether there may be chunks that are not here. */
  private boolean wanted;

  /** The node that is visited next; null at the start of a pass. */
  private @Nullable TrieKey node;

  /** Where in that node's content the visit goes on. */
  private long offset;

  /** Whether this pass has left anything out. */
  private boolean incomplete;

  private long nextNs;
  private boolean isPaced;
  private long pauseNs = PAUSE_NS;
  private long fetched;

  /**
   * Nothing to do yet.
   *
   * @param isHere whether the store has a chunk, intact or not
   */
  public Backfill(Predicate<Hash> isHere) {
    this.isHere = isHere;
  }

  /** From now on chunks may be missing; begins a pass. */
  public void begin() {
    wanted = true;
    isPaced = false;
    pauseNs = PAUSE_NS;
    restart();
  }

  private void restart() {
    node = null;
    offset = 0;
    incomplete = false;
  }

  /** An entry is applied without a chunk, which may come back: more than this pass looks for it. */
  public void missing() {
    if (!wanted) {
      begin();
    }
    incomplete = true; // the entry may become visible behind the pass
  }

  /** Whether chunks may be missing that this has not fetched yet. */
  public boolean isWanted() {
    return wanted;
  }

  /** How many chunks were fetched since the start. */
  public long fetched() {
    return fetched;
  }

  /** A chunk is stored. */
  public void stored(Hash hash) {
    if (inFlight.remove(hash)) {
      fetched++;
      pauseNs = PAUSE_NS;
    }
  }

  /**
   * An entry has moved extents from one place to another: the pass may have been at one of them,
   * and not yet at the other.
   */
  public void extentsMoved() {
    incomplete = true;
  }

  /** Nothing can be looked up or stored now: the pass ends, and another one follows later. */
  public void pause(long nowNs) {
    restart();
    isPaced = true;
    nextNs = nowNs + PAUSE_NS;
  }

  /** A chunk cannot be had, or cannot be stored. */
  public void failed(Hash hash) {
    incomplete |= inFlight.remove(hash);
  }

  /** The leader is not reachable; what was on its way is asked for again in another pass. */
  public void leaderLost() {
    incomplete |= !inFlight.isEmpty();
    inFlight.clear();
  }

  /**
   * Looks at some nodes.
   *
   * @param state the newest state that is shown
   * @param nowNs monotonic time
   * @return the chunks to ask the leader for
   * @throws io.hypersync.chunkstore.ChunkStoreException if a lookup fails
   */
  public List<ChunkRef> work(FsState state, long nowNs) {
    if (!wanted || (isPaced && nowNs - nextNs < 0)) {
      return List.of();
    }
    isPaced = true;
    nextNs = nowNs + EVERY_NS;
    List<ChunkRef> asked = new ArrayList<>();
    Iterator<Node> nodes = node == null ? state.nodes().iterator() : state.nodes().iterator(node);
    int looked = 0;
    while (looked < SLICE && inFlight.size() < MAX_IN_FLIGHT) {
      if (!nodes.hasNext()) {
        passEnds(nowNs);
        break;
      }
      Node next = nodes.next();
      if (!next.key().equals(node)) { // the one where the visit was to go on may be gone
        node = next.key();
        offset = 0;
      }
      looked += 1 + visit(next, SLICE - looked, asked);
    }
    return asked;
  }

  /** Visits a node from the offset on; returns how many chunks it has looked up. */
  private int visit(Node visited, int limit, List<ChunkRef> asked) {
    if (offset == 0) {
      for (Xattr xattr : visited.xattrs()) {
        if (xattr.value().length() > 0) {
          need(xattr.value(), asked);
        }
      }
    }
    int looked = 0;
    if (visited.content() instanceof FileContent file) {
      Iterator<Extent> extents = file.from(offset);
      while (extents.hasNext()) {
        Extent extent = extents.next();
        if (looked == limit || inFlight.size() >= MAX_IN_FLIGHT) {
          offset = Math.max(offset, extent.offset());
          return looked;
        }
        // The length of the whole chunk is not known; the leader goes by the hash.
        need(new ChunkRef(extent.chunk(), ChunkRef.MAX_LENGTH), asked);
        looked++;
      }
    }
    offset = Long.MAX_VALUE; // no more than its key is looked at again
    return looked;
  }

  private void need(ChunkRef chunk, List<ChunkRef> asked) {
    if (!inFlight.contains(chunk.hash()) && !isHere.test(chunk.hash())) {
      inFlight.add(chunk.hash());
      asked.add(chunk);
    }
  }

  /** Waits for what is on its way before it judges the pass. */
  private void passEnds(long nowNs) {
    if (!inFlight.isEmpty()) {
      return;
    }
    if (incomplete) {
      nextNs = nowNs + pauseNs;
      pauseNs = Math.min(2 * pauseNs, LONGEST_PAUSE_NS);
    } else {
      wanted = false;
    }
    restart();
  }
}
