package io.hypersync.leader.collection;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.CollectionPlan;
import io.hypersync.chunkstore.CollectionProgress;
import io.hypersync.chunkstore.CollectionProgress.Phase;
import io.hypersync.chunkstore.CollectionRun;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.port.CollectionReport;
import io.hypersync.leader.port.CollectionReport.Pin;
import io.hypersync.leader.port.CollectionRoots;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.trie.PageCache;
import io.hypersync.snapshot.CollectionMark;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotCatalog;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One run of a collection, step by step: marks, compares the catalog, says durably what may be
 * gone, sweeps. A crash between any two steps loses nothing that is alive ({@link CollectionRun}),
 * and so does an exception: the run is ended by it, and before the sweep nothing was removed.
 */
public final class CollectionTask {
  /** What one step sweeps. */
  private static final long SWEEP_BYTES = 1 << 20;

  private enum Step {
    COMPARE,
    MARK,
    PLAN,
    SAY,
    SWEEP,
    DONE
  }

  /**
   * What a run works on.
   *
   * @param chunks what is collected, and read through
   * @param catalog only its {@link SnapshotCatalog#indexes} and {@link SnapshotCatalog#strays} are
   *     asked for
   * @param known the indexes of the snapshots that the leader has in its catalog as far as it
   *     knows, now; called by the thread of the run
   * @param memory of the replica: the pages that nodes in memory need are asked for after the run
   *     has begun
   * @param maxPages how many pages are remembered as read, 43 bytes of heap each
   * @param limit asked for what each step reads or writes, in bytes
   */
  public record Environment(
      OpLog log,
      ChunkStore chunks,
      SnapshotCatalog catalog,
      Supplier<Set<Long>> known,
      CollectionMark mark,
      WorkspaceId workspace,
      PageCache memory,
      int maxPages,
      RateLimit limit) {}

  private final CollectionRun run;
  private final Environment at;
  private final boolean isDryRun;
  private final long headIndex;
  private final long logAfter;
  private final List<Long> roots;
  private @Nullable LiveSet live;
  private Step step = Step.COMPARE;
  private @Nullable CollectionPlan plan;
  private @Nullable CollectionProgress measured;
  private List<Pin> pins = List.of();
  private long pagesRead;
  private long entriesRead;

  /**
   * Prepares the run.
   *
   * @param run has begun before the roots were taken
   */
  public CollectionTask(CollectionRun run, CollectionRoots roots, Environment at) {
    this.run = run;
    this.at = at;
    this.isDryRun = roots.isDryRun();
    this.headIndex = roots.headIndex();
    this.logAfter = roots.logAfter();
    this.roots = roots.snapshots().stream().map(Snapshot::index).toList();
    this.live = new LiveSet(run, roots, at);
  }

  /**
   * Does the next step.
   *
   * @return whether there is another one
   * @throws ChunkStoreException if the chunk store fails; ENOSPC if there is no room to copy
   * @throws IOException if anything of the live set cannot be read
   */
  public boolean step() throws IOException {
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

  private boolean next() throws IOException {
    LiveSet marking = live;
    switch (step) {
      case COMPARE -> { // once before the work, too
        requireWholeCatalog();
        step = Step.MARK;
      }
      case MARK -> {
        if (marking != null && !marking.step()) {
          pins = marking.pins();
          pagesRead = marking.pagesRead();
          entriesRead = marking.entriesRead();
          live = null; // the sweep takes long, and needs nothing of it
          step = isDryRun ? Step.PLAN : Step.SAY;
        }
      }
      case PLAN -> {
        requireWholeCatalog();
        plan = run.plan();
        step = Step.DONE;
      }
      case SAY -> {
        requireWholeCatalog();
        at.mark().raise(logAfter);
        step = Step.SWEEP;
      }
      case SWEEP -> {
        at.limit().spend(SWEEP_BYTES);
        CollectionProgress now = run.sweep(SWEEP_BYTES);
        if (measured == null && now.phase() != Phase.MEASURING) {
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

  /**
   * A snapshot whose record could not be read when the leader started is in no list of the leader.
   * Its record may be readable now, or again, and then it needs what it leads to. So each one that
   * is in the catalog must be among the roots, or one that the leader itself has taken since: of
   * that the store keeps everything. Not what is readable is asked, which may change at any time.
   */
  private void requireWholeCatalog() throws IOException {
    for (String stray : at.catalog().strays()) { // it may be the last copy of something dear
      throw new IOException(
          stray
              + " has the name of no snapshot: if it is one, what it needs would be removed. Move it"
              + " to another folder, or give it the right name and restart the leader");
    }
    List<Long> there = at.catalog().indexes();
    Set<Long> expected = new HashSet<>(roots);
    expected.addAll(at.known().get()); // afterwards: a snapshot is known before it is there
    for (long index : there) {
      if (!expected.contains(index)) {
        throw new IOException(
            "the snapshot of entry "
                + index
                + " was not there when the leader started, or could not be read: delete its file,"
                + " or put it right and restart the leader");
      }
    }
  }

  /** Ends the run at any point; does nothing if it is done. */
  public void abandon() {
    step = Step.DONE;
    run.close();
  }

  /** How far it is, in words for a person. */
  public String progress() {
    LiveSet marking = live;
    return switch (step) {
      case COMPARE -> "";
      case MARK ->
          marking == null
              ? ""
              : "marking: read "
                  + marking.entriesRead()
                  + " entries, "
                  + marking.pagesRead()
                  + " pages";
      case PLAN, SAY -> "planning";
      case SWEEP, DONE -> run.progress().describeSweep();
    };
  }

  /**
   * What was done, after the last step.
   *
   * @param tookNs since the run has begun
   */
  public CollectionReport result(long tookNs) {
    CollectionPlan planned = plan;
    CollectionProgress found = measured;
    if (step != Step.DONE || (isDryRun ? planned == null : found == null)) {
      throw new IllegalStateException("the collection is not done");
    }
    CollectionProgress done = run.progress();
    return new CollectionReport(
        isDryRun,
        headIndex,
        logAfter,
        pagesRead,
        entriesRead,
        planned != null ? planned.liveBytes() : done.liveBytes(),
        planned != null ? planned.deadBytes() : deadBefore(found),
        planned != null ? planned.freedBytes() : done.freedBytes(),
        planned != null ? planned.copiedBytes() : done.bytesCopied(),
        done.chunksRemoved(),
        done.unreadableChunks(),
        tookNs,
        pins);
  }

  /** About what was dead when the sweep began. */
  private static long deadBefore(@Nullable CollectionProgress first) {
    return first == null ? 0 : first.deadBeforeBytes();
  }
}
