package io.hypersync.leader.collection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.leader.history.HeapAllowance;
import io.hypersync.leader.history.PastStates;
import io.hypersync.leader.oplog.RecoveryListener.Verdict;
import io.hypersync.leader.port.CollectionReport.Kind;
import io.hypersync.leader.port.CollectionReport.Pin;
import io.hypersync.leader.recovery.AuditFinding;
import io.hypersync.leader.recovery.LeaderState;
import io.hypersync.leader.recovery.LogReplay;
import io.hypersync.leader.recovery.ReplayStart;
import io.hypersync.leader.recovery.RootAudit;
import io.hypersync.leader.recovery.RootHashing;
import io.hypersync.leader.sequencer.IntentIndex;
import io.hypersync.leader.sequencer.IntentRetention;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.snapshot.ManifestStates;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.RestoredStates;
import io.hypersync.model.state.StateWeight;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.snapshot.HeldRestore;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotReader;
import io.hypersync.snapshot.StoredPages;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What an entry restores stays stored as long as somebody can replay the entry: a start from any
 * snapshot before it, whoever looks at a state of the past, and a root audit.
 */
class RestoredStateTest {
  private static final int FILES = 400;

  private final Collected leader = new Collected();
  private Snapshot older;
  private Snapshot earlier;
  private NodeId opened;
  private NodeId written;
  private Hash content;
  private long restoring;

  @BeforeEach
  void history() throws IOException {
    leader.create("of the older snapshot");
    older = leader.snapshot();
    for (int i = 0; i < FILES; i++) {
      leader.create("a rather long name of a file " + i);
    }
    written = leader.create("written");
    content = leader.write(written, "what was there");
    earlier = leader.snapshot();
    for (int i = 0; i < FILES; i++) {
      leader.commit(new FsOp.Unlink(FsState.ROOT, Name.of("a rather long name of a file " + i)));
    }
    leader.commit(new FsOp.Unlink(FsState.ROOT, Name.of("written")));
    leader.commit(new FsOp.ReapOrphans(List.of(written)));
    opened = leader.create("open");
    // Nothing keeps the earlier state but that it is restored.
    leader.catalog.remove(earlier.index());
    leader.known.remove(earlier.index());
    restoring = leader.index() + 1;
    leader.restores.add(new HeldRestore(restoring, true, earlier));
  }

  private void restore() {
    leader.commit(new FsOp.RestoreState(earlier.manifest(), List.of(opened)));
  }

  /** As hard as a collection ever is: nothing of the log counts. */
  private void collect() throws IOException {
    leader.collect(leader.index());
  }

  private PageCache cache() {
    return SnapshotReader.cache(leader.chunks, Long.MAX_VALUE, true);
  }

  private LeaderState replayed(ReplayStart start, RestoredStates restored) throws IOException {
    LogReplay replay =
        new LogReplay(
            start.collectedThrough(leader.index()).restoring(restored),
            leader.chunks,
            IntentIndex.inMemory(IntentRetention.DEFAULT),
            LogReplay.LONG_RUNS,
            RootHashing.AT_ONCE,
            Long.MAX_VALUE,
            _ -> {});
    for (long i = 1; i <= leader.index(); i++) {
      assertEquals(Verdict.KEEP, replay.onRecord(i, leader.log.read(i)));
    }
    replay.ended();
    return replay.result();
  }

  private ReplayStart start(Snapshot snapshot, PageCache cache) throws Exception {
    return ReplayStart.of(
            Manifest.read(
                snapshot.manifest(),
                Collected.WORKSPACE,
                (version, _) -> cache.reader(version),
                cache.source()))
        .in(cache.dirty());
  }

  @Test
  void aStartGoesThroughTheEntry() throws Exception {
    restore();
    leader.create("behind it");
    collect();
    for (Snapshot from : List.of(older, leader.snapshot())) {
      PageCache cache = cache();
      LeaderState found =
          replayed(
              start(from, cache),
              ManifestStates.lazy(Collected.WORKSPACE, RootVersion.LATEST, cache));
      assertEquals(leader.state().root(), found.root(), "from entry " + from.index());
      assertEquals(StateWeight.of(leader.state()), found.weight());
      assertTrue(Objects.requireNonNull(found.state().node(opened)).isOrphan(), "open stays");
      FsState read = found.state();
      assertEquals(StateWeight.of(leader.state()), StateWeight.of(read), "all of it can be read");
    }
    assertEquals(
        leader.state().root(),
        replayed(ReplayStart.genesis(RootVersion.LATEST), leader.restored()).root());
    assertTrue(leader.has(content));
  }

  @Test
  void aRootAuditGoesThroughTheEntry() throws Exception {
    restore();
    long asked = leader.create("behind it").low();
    collect();
    RootAudit audit = new RootAudit(asked, leader.restored());
    AuditFinding found = null;
    for (long i = 1; found == null; i++) {
      found = audit.take(leader.log.read(i));
    }
    assertEquals(leader.state().root(), assertInstanceOf(AuditFinding.Right.class, found).root());
  }

  @Test
  void statesOfThePastAreThereBeforeAndBehindTheEntry() throws Exception {
    Hash before = leader.state().root();
    restore();
    Hash after = leader.state().root();
    leader.create("behind it");
    collect();
    PastStates past =
        new PastStates(
            leader.log,
            Collected.WORKSPACE,
            new StoredPages(leader.chunks, RateLimit.NONE),
            new PastStates.Newest(leader.state(), leader.index(), leader.index(), List.of(older)),
            new HeapAllowance(Long.MAX_VALUE, ""),
            () -> {});
    PastStates.Two two = past.both(restoring - 1, restoring);
    assertEquals(before, two.first().root());
    assertEquals(after, two.second().root());
    Manifest then = past.manifest(restoring);
    assertEquals(StateWeight.of(then.state()), then.weight());
  }

  @Test
  void whatIsKeptForItIsSaid() throws Exception {
    restore();
    leader.commit(new FsOp.Unlink(FsState.ROOT, Name.of("written")));
    leader.commit(new FsOp.ReapOrphans(List.of(written)));
    CollectionTask task = leader.begin(leader.roots(leader.index(), true));
    while (task.step()) {}
    Pin pin =
        task.result(0).pins().stream()
            .filter(each -> each.kind() == Kind.RESTORE)
            .findFirst()
            .orElseThrow();
    assertEquals(restoring, pin.index());
    assertTrue(pin.bytes() > 0, pin::toString);
  }

  @Test
  void whenItIsNotHeldAnyMoreItGoes() throws Exception {
    restore();
    for (String name : List.of("written", "of the older snapshot")) {
      leader.commit(new FsOp.Unlink(FsState.ROOT, Name.of(name)));
    }
    leader.commit(new FsOp.ReapOrphans(List.of(written)));
    leader.restores.clear();
    collect();
    assertFalse(leader.has(content));
    assertThrows(
        PageUnreadableException.class,
        () -> replayed(ReplayStart.genesis(RootVersion.LATEST), leader.restored()));
  }
}
