package io.hypersync.leader.daemon;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.leader.history.PastSnapshotTask;
import io.hypersync.leader.history.PastStates;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.snapshot.SnapshotHold;
import io.hypersync.model.trie.PageCache;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.snapshot.Snapshot;
import java.io.IOException;

/** Stores states of the past beside the newest one, for requests that take turns. */
final class PastSnapshotMaker {
  private final SlowRequests requests;
  private final OpLog log;
  private final ChunkStore chunks;
  private final PageCache memory;
  private final PastSnapshotTask.Records records;
  private final Clock clock;

  /**
   * States of one leader.
   *
   * @param memory of the leader
   * @param records where it is said what is stored
   */
  PastSnapshotMaker(
      SlowRequests requests,
      OpLog log,
      ChunkStore chunks,
      PageCache memory,
      PastSnapshotTask.Records records,
      Clock clock) {
    this.requests = requests;
    this.log = log;
    this.chunks = chunks;
    this.memory = memory;
    this.records = records;
    this.clock = clock;
  }

  /**
   * Stores the state of an entry.
   *
   * @param hold keeps the snapshot that the state is read from
   * @param past reads it
   * @param mostBytes of its manifest
   * @throws UserError if the log has lost entries meanwhile, or the manifest is too long
   * @throws IOException if the log or the records fail
   */
  Snapshot make(
      long index, SnapshotHold hold, PastStates.Newest newest, PastStates past, int mostBytes)
      throws IOException {
    Snapshot base =
        newest.snapshots().stream()
            .filter(snapshot -> snapshot.index() == hold.index())
            .findFirst()
            .orElse(null);
    PastSnapshotTask task =
        new PastSnapshotTask(index, base, past, log, chunks, records, memory, clock.epochNs());
    try {
      do {
        requests.requireRunning();
      } while (task.step());
    } catch (IndexOutOfBoundsException e) {
      throw new UserError("entries of the log were removed meanwhile", "Try again.");
    }
    Snapshot made = task.result();
    if (made.manifest().length > mostBytes) {
      throw new UserError("the manifest of the state is too long", "");
    }
    return made;
  }
}
