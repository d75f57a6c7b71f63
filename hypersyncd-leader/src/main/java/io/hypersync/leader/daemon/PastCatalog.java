package io.hypersync.leader.daemon;

import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.past.PastHolds;
import io.hypersync.leader.port.PastPort;
import io.hypersync.leader.recovery.LeaderState;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotCatalog;
import io.hypersync.snapshot.SnapshotDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The states of the past that a leader has stored for mounts, in the folder {@code past}. They are
 * held across a restart, so that mounts outlive it.
 *
 * @param stored what it begins with, the oldest first
 */
public record PastCatalog(SnapshotCatalog catalog, List<Snapshot> stored) {
  private static final Logger LOG = LoggerFactory.getLogger(PastCatalog.class);

  /** How long a state is held for a worker that is away, or that a restarted leader waits for. */
  private static final Duration AWAY = Duration.ofHours(1);

  /**
   * Reads what is stored. What cannot be read is removed: nothing but mounts needs it. So is what
   * is not of this log's history, since the log was cut.
   *
   * @throws IOException if the folder cannot be used
   */
  public static PastCatalog read(
      Path stateDir, WorkspaceId workspace, OpLog log, LeaderState recovered) throws IOException {
    SnapshotCatalog catalog = SnapshotDirectory.ofPast(stateDir);
    List<Snapshot> kept = new ArrayList<>();
    Set<Long> left = new HashSet<>(catalog.indexes());
    for (Snapshot stored : catalog.list()) {
      if (isOf(stored, workspace, log, recovered)) {
        kept.add(stored);
        left.remove(stored.index());
      }
    }
    for (long index : left) {
      LOG.warn("the stored state of entry {} is not of this log, and is removed", index);
      catalog.remove(index);
    }
    return new PastCatalog(catalog, kept);
  }

  private static boolean isOf(
      Snapshot stored, WorkspaceId workspace, OpLog log, LeaderState recovered) throws IOException {
    try {
      if (!Manifest.workspace(stored.manifest()).equals(workspace)
          || stored.index() > recovered.index()) {
        return false;
      }
      return stored.index() < log.firstIndex()
          || LogEntryCodec.decode(log.read(stored.index()))
              .root()
              .equals(Manifest.root(stored.manifest()));
    } catch (DecodeException e) {
      return false;
    }
  }

  /** What the agent begins with. */
  PastHolds.Start start(PastPort port) {
    return new PastHolds.Start(port, stored, AWAY.toNanos());
  }
}
