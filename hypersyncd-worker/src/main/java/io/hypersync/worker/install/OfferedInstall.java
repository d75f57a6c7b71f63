package io.hypersync.worker.install;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.model.hash.Hash;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.wire.message.LeaderMessage.SnapshotOffer;
import io.hypersync.worker.port.InstallPort;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot that the leader has offered instead of entries (hypersync.md 13.2). What has to be
 * here before this worker goes on from it depends on who looks on:
 *
 * <table>
 *   <tr><th>worker</th><th>needs</th><th>then</th></tr>
 *   <tr><td>shows nothing yet</td><td>the orphans</td>
 *       <td>it ends, and another one begins with the snapshot ({@link BegunInstall})</td></tr>
 *   <tr><td>is mounted</td><td>everything, in the catalog</td>
 *       <td>what is shown jumps to the snapshot's state</td></tr>
 * </table>
 *
 * <p>A mounted one serves its old state meanwhile, and takes no mutations. Single-threaded, on the
 * agent's thread.
 */
public final class OfferedInstall {
  private final InstallPort port;
  private final Clock clock;
  private final BegunInstall.Begin begin;
  private final long silenceNs;
  private @Nullable SnapshotInstall pages;
  private boolean isMounted;

  /** What is being put into the catalog for a mounted worker. */
  private @Nullable Snapshot published;

  private long heardNs;

  /**
   * Nothing is offered.
   *
   * @param silenceNs a leader that sends no page for so long is given up, in nanoseconds
   */
  public OfferedInstall(InstallPort port, Clock clock, BegunInstall.Begin begin, long silenceNs) {
    this.port = port;
    this.clock = clock;
    this.begin = begin;
    this.silenceNs = silenceNs;
  }

  /**
   * Takes an offer.
   *
   * @param mounted whether processes may have seen what is here
   * @throws InstallException if it cannot be used
   */
  public void begin(SnapshotOffer offer, boolean mounted) throws InstallException {
    pages = begin.begin(offer, mounted ? SnapshotInstall.Part.ALL : SnapshotInstall.Part.ORPHANS);
    isMounted = mounted;
    heardNs = clock.monotonicNs();
  }

  /** Whether one was offered on this connection, and is fetched or put into the catalog. */
  public boolean isRunning() {
    return pages != null || published != null;
  }

  /** What fetches the pages; null if nothing does. For reports. */
  public @Nullable SnapshotInstall pages() {
    return pages;
  }

  /** The connection is lost, or given up; what is in the store stays there. */
  public void leaderLost() {
    pages = null;
  }

  /** Whether this page was asked for and has not arrived. */
  public boolean isWaitingFor(Hash page) {
    return pages != null && pages.isWaitingFor(page);
  }

  /** A chunk was stored, perhaps a page. */
  public void stored(Hash hash) {
    SnapshotInstall now = pages;
    if (now != null && now.isWaitingFor(hash)) {
      now.stored(hash);
      heardNs = clock.monotonicNs();
    }
  }

  /** What a turn has led to. */
  public enum Turn {
    /** Nothing was to be done. */
    IDLE,
    /** Something was done. */
    WORKED,
    /** What a worker needs to begin with the snapshot is here: {@link InstallPort#received}. */
    RECEIVED
  }

  /**
   * Goes on.
   *
   * @throws InstallException if it cannot be had, or the leader is silent
   * @throws ChunkStoreException if the store cannot be read
   */
  public Turn work(long nowNs) throws InstallException {
    SnapshotInstall now = pages;
    if (now == null) {
      return Turn.IDLE;
    }
    boolean worked = now.work(nowNs);
    heardNs = worked ? nowNs : heardNs;
    if (now.isComplete()) {
      pages = null;
      Snapshot whole = now.snapshot(clock.epochNs());
      if (!isMounted) {
        port.received(whole);
        return Turn.RECEIVED;
      }
      published = whole;
      port.install(whole);
    } else if (nowNs - heardNs > silenceNs) {
      throw new InstallException("no page has arrived for " + silenceNs / 1_000_000 + " ms");
    }
    return worked ? Turn.WORKED : Turn.IDLE;
  }

  /**
   * A snapshot is in the catalog, or could not be put there: it is not waited for any more.
   *
   * @return whether it is the one that was offered to this mounted worker
   */
  public boolean takePublished(Snapshot snapshot) {
    boolean isMine = published != null && published.index() == snapshot.index();
    if (isMine) {
      published = null;
    }
    return isMine;
  }
}
