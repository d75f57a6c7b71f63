package io.hypersync.worker.install;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.wire.message.LeaderMessage.SnapshotOffer;
import io.hypersync.worker.past.PastStates;
import io.hypersync.worker.port.InstallPort;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rest of a state whose pages are not all here: of the snapshot that a worker has begun with
 * (hypersync.md 13.2), or of a state that an entry has restored. The worker serves already, and
 * this fetches what nobody has asked for yet. The leader holds the pages meanwhile. Until all are
 * here the worker takes no snapshot: it would name pages that it does not have. Single-threaded, on
 * the agent's thread, except {@link #isComplete}.
 *
 * <pre>
 *   fetching --all here--&gt; being published --in the catalog--&gt; complete
 *      ^  |                     |                                 ^
 *      |  |                     |                                 |
 *      +--+---- a failure ------+                                 |
 *         +------------ all here, of a restored state ------------+
 * </pre>
 */
public final class BegunInstall {
  private static final Logger LOG = LoggerFactory.getLogger(BegunInstall.class);

  /** Pause before what has failed is tried again. */
  private static final long AGAIN_NS = 5_000_000_000L;

  /** A page that nobody has for so long is gone: every worker that may have it is back by then. */
  private static final long LOST_NS = 600_000_000_000L;

  /** Pause before a leader is asked again that cannot hold the state. */
  private static final long REFUSED_NS = 60_000_000_000L;

  private final PastStates pasts;
  private final InstallPort port;
  private final BooleanSupplier isInTouch;
  private final Clock clock;
  private final Begin begin;

  /** What is fetched; null if everything is here. */
  private volatile @Nullable Snapshot received;

  /** Whether that is a state that an entry has restored, which needs no place in the catalog. */
  private boolean isRestored;

  /**
   * States that entries have restored since, by entry: nodes that were open then may be of the
   * state before, so that is fetched first.
   */
  private final TreeMap<Long, byte[]> next = new TreeMap<>();

  /** The manifests of restored states that are in no snapshot of this worker yet, by entry. */
  private final TreeMap<Long, byte[]> unsaved = new TreeMap<>();

  /** Counts the states that were fetched, this one too. */
  private long states;

  private @Nullable SnapshotInstall pages;
  private boolean isBeingPublished;

  /** A page that no connected worker has, says the leader; null if it has said so of none. */
  private @Nullable Hash lost;

  /** Since when; of this connection. */
  private long lostSinceNs;

  /** Whether the leader keeps the pages until they are given back. */
  private boolean isHeld;

  /** Whether it was asked for, and has not answered. */
  private boolean isAsking;

  private long nextHoldNs;
  private long nextNs;

  /** Begins to fetch a snapshot. */
  @FunctionalInterface
  public interface Begin {
    /**
     * Begins.
     *
     * @throws InstallException if it cannot be fetched at all
     */
    SnapshotInstall begin(SnapshotOffer offer, SnapshotInstall.Part part) throws InstallException;
  }

  /**
   * An install that goes on.
   *
   * @param received null if there is none: this is complete
   * @param pasts has the leader hold what is not here yet
   * @param isInTouch whether the leader has said Welcome and is connected
   */
  public BegunInstall(
      @Nullable Snapshot received,
      PastStates pasts,
      InstallPort port,
      BooleanSupplier isInTouch,
      Clock clock,
      Begin begin) {
    this.received = received;
    this.pasts = pasts;
    this.port = port;
    this.isInTouch = isInTouch;
    this.clock = clock;
    this.begin = begin;
    pasts.onNoLongerHeld(this::noLongerHeld);
  }

  /** Whether all that the state needs should be here; any thread. */
  public boolean isComplete() {
    return received == null;
  }

  /** What fetches the rest; null if nothing does. For reports. */
  public @Nullable SnapshotInstall pages() {
    return pages;
  }

  /** The leader is away: what was on its way is asked for again. */
  public void leaderLost() {
    lost = null;
    if (pages != null) {
      pages.leaderLost();
    }
  }

  /** A chunk was stored, perhaps a page. */
  public void stored(Hash hash) {
    if (hash.equals(lost)) {
      lost = null;
    }
    if (pages != null) {
      pages.stored(hash);
    }
  }

  /** Whether this page was asked for and has not arrived. */
  public boolean isWaitingFor(Hash hash) {
    return pages != null && pages.isWaitingFor(hash);
  }

  /**
   * Neither the leader nor a connected worker has a page. It is asked for again: another worker may
   * come that has it.
   */
  public void lost(Hash hash, String why) {
    if (lost == null && isWaitingFor(hash)) {
      lost = hash;
      lostSinceNs = clock.monotonicNs();
    }
    failed(hash, why);
  }

  /** A page cannot be had just now, or there is no room for it. */
  public void failed(Hash hash, String why) {
    SnapshotInstall now = pages;
    if (now != null && now.isWaitingFor(hash)) {
      now.failed(hash); // who needs it meanwhile is told
      pause("page " + hash + ": " + why);
    }
  }

  /** Has the leader keep the pages that are not here yet, whatever becomes of its snapshots. */
  public void hold() {
    Snapshot fetched = received;
    if (fetched != null && !isHeld && !isAsking) { // else it is asked for again by itself
      nextHoldNs = clock.monotonicNs() + AGAIN_NS;
      isAsking = true;
      long number = states;
      pasts.ask(Long.toString(fetched.index()), true, answer -> answered(number, fetched, answer));
    }
  }

  private void answered(long number, Snapshot asked, PastStates.Answer answer) {
    isAsking = false;
    boolean isWanted = received != null && number == states;
    switch (answer) {
      case PastStates.Answer.Found(long index, Hash root, _) -> {
        if (isWanted && !isHeld && index == asked.index() && root.equals(root(asked))) {
          isHeld = true;
        } else {
          pasts.release(index); // it is held already, or is not needed any more
        }
      }
      case PastStates.Answer.Refused(String why, _) -> {
        if (isWanted && isInTouch.getAsBoolean()) {
          isHeld = false;
          nextHoldNs = clock.monotonicNs() + REFUSED_NS;
          LOG.warn("the leader may not keep the snapshot that is fetched: {}", why);
        }
      }
    }
  }

  /** The leader was asked again after a lost connection, and keeps a state no more. */
  private void noLongerHeld(long index) {
    Snapshot fetched = received;
    if (isHeld && fetched != null && fetched.index() == index) {
      isHeld = false;
      pasts.release(index);
      nextHoldNs = clock.monotonicNs() + REFUSED_NS;
    }
  }

  /**
   * Fetches some pages, if the leader is in touch.
   *
   * @return whether anything was done
   * @throws InstallException if the pages are not what a snapshot has, or nobody has had one of
   *     them for ten minutes: what is shown here rests on a snapshot that cannot be had as a whole
   */
  public boolean work(long nowNs) throws InstallException {
    Snapshot begun = received;
    if (begun == null || isBeingPublished || !isInTouch.getAsBoolean()) {
      return false;
    }
    if (nowNs - nextHoldNs >= 0) {
      hold();
    }
    requireNotLost(nowNs);
    if (nowNs - nextNs < 0) {
      return false;
    }
    try {
      SnapshotInstall now =
          pages == null
              ? begin.begin(
                  new SnapshotOffer(begun.index(), root(begun), begun.manifest()),
                  SnapshotInstall.Part.ALL)
              : pages;
      pages = now;
      boolean worked = now.work(nowNs);
      if (now.isComplete()) {
        LOG.info("all pages are here, {} were fetched", now.fetched());
        if (isRestored) {
          complete();
          return true;
        }
        isBeingPublished = true;
        port.install(now.snapshot(clock.epochNs()));
      }
      return worked;
    } catch (ChunkStoreException e) {
      pause(String.valueOf(e.getMessage()));
      return false;
    }
  }

  /** The newest state may do without what it was restored from, so that is waited for longer. */
  private void requireNotLost(long nowNs) throws InstallException {
    if (lost != null && !isRestored && nowNs - lostSinceNs >= LOST_NS) {
      throw InstallException.lostPage(
          "page "
              + lost
              + " is lost, neither the leader nor another worker has had it for "
              + LOST_NS / 60_000_000_000L
              + " minutes");
    }
  }

  /** Whether it is being put into the catalog. */
  public boolean isBeingPublished() {
    return isBeingPublished;
  }

  /**
   * A snapshot is in the catalog.
   *
   * @return whether it is the one that this worker has begun with
   */
  public boolean published(Snapshot snapshot) {
    isBeingPublished = false;
    boolean isMine = isReceived(snapshot);
    if (isMine) {
      complete();
    }
    return isMine;
  }

  /** It could not be put into the catalog: a full disk, or a page that is damaged by now. */
  public void notPublished(Snapshot snapshot, String why) {
    isBeingPublished = false;
    if (isReceived(snapshot)) {
      pages = null; // the next one looks for all pages once more
      pause(why);
    }
  }

  /** Whether this is what the worker has begun with, and is not in its catalog yet. */
  public boolean isReceived(Snapshot snapshot) {
    Snapshot now = received;
    return now != null && !isRestored && now.index() == snapshot.index();
  }

  /**
   * An entry has restored an earlier state, whose pages may not be here.
   *
   * @param entry the index of the entry
   */
  public void restored(long entry, byte[] manifest) {
    unsaved.put(entry, manifest);
    next.put(entry, manifest);
    if (received == null) {
      goOn();
    }
  }

  /** What a collection must keep of restored states until a snapshot has it. */
  public Collection<byte[]> unsaved() {
    return unsaved.values();
  }

  /** A snapshot of this worker is in its catalog. */
  public void saved(long index) {
    unsaved.headMap(index, true).clear();
  }

  private void goOn() {
    Map.Entry<Long, byte[]> first = next.pollFirstEntry();
    if (first == null) {
      return;
    }
    byte[] manifest = first.getValue();
    try {
      received = new Snapshot(Manifest.index(manifest), 0, 0, 0, false, "", manifest);
    } catch (DecodeException e) {
      throw new IllegalStateException(
          "entry " + first.getKey() + " has restored what is no state", e);
    }
    isRestored = true;
    states++;
    nextNs = clock.monotonicNs();
    nextHoldNs = nextNs;
  }

  /** Nothing of it is needed any more: the worker goes on from a snapshot in its catalog. */
  public void end() {
    next.clear();
    unsaved.clear();
    complete();
  }

  private void complete() {
    Snapshot last = received;
    received = null;
    pages = null;
    lost = null;
    isRestored = false;
    if (last != null && isHeld) {
      isHeld = false;
      pasts.release(last.index());
    }
    goOn();
  }

  private void pause(String why) {
    long now = clock.monotonicNs();
    if (now - nextNs >= 0) {
      LOG.warn("the rest of the snapshot is fetched later: {}", why);
      nextNs = now + AGAIN_NS;
    }
  }

  private static Hash root(Snapshot snapshot) {
    try {
      return Manifest.root(snapshot.manifest());
    } catch (DecodeException e) {
      throw new IllegalStateException("the replica has begun with what is no snapshot", e);
    }
  }
}
