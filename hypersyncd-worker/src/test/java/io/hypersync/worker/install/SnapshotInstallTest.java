package io.hypersync.worker.install;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.States;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.StateWeight;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageWriter;
import io.hypersync.wire.message.LeaderMessage.SnapshotOffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How the pages of a leader's snapshot are got (hypersync.md 13.2). */
class SnapshotInstallTest {
  private static final WorkspaceId WORKSPACE = new WorkspaceId(1, 2);
  private static final long INDEX = 3_000;

  /** What the leader has, and what is here. */
  private final Map<Hash, byte[]> leader = new HashMap<>();

  private final Map<Hash, byte[]> here = new HashMap<>();
  private final Set<Hash> damaged = new HashSet<>();
  private final ArrayDeque<Hash> asked = new ArrayDeque<>();
  private final List<Hash> allAsked = new ArrayList<>();
  private final FsState state = state();
  private final byte[] manifest = manifest(INDEX, StateWeight.of(state));

  @Test
  void allPagesAreFetchedAndReadAndNoneTwice() throws Exception {
    SnapshotInstall install = install(offer());
    run(install, Integer.MAX_VALUE);
    assertTrue(install.isComplete());
    assertEquals(leader.keySet(), here.keySet());
    assertEquals(leader.size(), allAsked.size());
    assertTrue(leader.size() > SnapshotInstall.MAX_IN_FLIGHT, leader.size() + " pages");
    assertEquals(INDEX, install.snapshot(5).index());
  }

  @Test
  void whatIsHereIsNotFetchedAgain() throws Exception {
    SnapshotInstall first = install(offer());
    run(first, 30);
    assertFalse(first.isComplete());
    assertEquals(30, here.size());
    allAsked.clear();
    asked.clear();
    SnapshotInstall second = install(offer());
    run(second, Integer.MAX_VALUE);
    assertTrue(second.isComplete());
    assertEquals(leader.size() - 30, allAsked.size());
  }

  /** Of a tree whose size nobody has said. */
  @Test
  void itSaysAboutHowFarItIs() throws Exception {
    SnapshotInstall install = install(offer());
    List<Long> estimates = new ArrayList<>();
    while (!install.isComplete()) {
      run(install, 1);
      estimates.add(install.pagesInAll());
      assertTrue(install.pages() <= install.pagesInAll());
      assertTrue(install.bytes() <= install.bytesInAll());
    }
    long pages = leader.size();
    for (long estimate : estimates.subList(estimates.size() / 2, estimates.size())) {
      assertTrue(pages / 2 < estimate && estimate < 2 * pages, pages + ": " + estimates);
    }
    assertEquals(pages, install.pages());
    assertEquals(pages, install.pagesInAll());
    assertEquals(
        leader.values().stream().mapToLong(each -> each.length).sum(), install.bytesInAll());
    assertEquals(0, install.progress().left());
  }

  @Test
  void aPageThatIsDamagedHereIsFetched() throws Exception {
    here.putAll(leader);
    Hash page = leader.keySet().iterator().next();
    damaged.add(page);
    SnapshotInstall install = install(offer());
    run(install, Integer.MAX_VALUE);
    assertTrue(install.isComplete());
    assertEquals(List.of(page), allAsked);
  }

  @Test
  void aPageThatNobodyHasIsWaitedFor() throws Exception {
    SnapshotInstall install = install(offer());
    assertTrue(install.work(0));
    Hash top = asked.getFirst();
    for (int i = 0; i < 10; i++) {
      assertFalse(install.work(0), "and it is asked for once");
    }
    assertTrue(install.isWaitingFor(top));
    assertFalse(install.isComplete());
  }

  @Test
  void aPageThatCannotBeKeptEndsIt() throws Exception {
    SnapshotInstall install = install(offer());
    assertThrows(
        InstallException.class,
        () -> {
          while (true) {
            install.work(0);
            install.stored(asked.removeFirst()); // and it is not here all the same
          }
        });
  }

  @Test
  void aStateThatHasMorePagesThanItWeighsEndsIt() throws Exception {
    SnapshotInstall install =
        install(new SnapshotOffer(INDEX, state.root(), manifest(INDEX, 1_000)));
    assertThrows(InstallException.class, () -> run(install, Integer.MAX_VALUE));
    assertTrue(here.size() < leader.size(), here.size() + " pages");
  }

  @Test
  void offersThatContradictThemselvesAreRefused() {
    for (SnapshotOffer offer :
        List.of(
            new SnapshotOffer(INDEX + 1, state.root(), manifest),
            new SnapshotOffer(INDEX, Hash.ZERO, manifest),
            new SnapshotOffer(INDEX, state.root(), new byte[] {1}))) {
      assertFalse(assertThrows(InstallException.class, () -> install(offer)).lacksMemory());
    }
    assertThrows(
        InstallException.class, () -> install(offer(), new WorkspaceId(1, 3), Long.MAX_VALUE));
  }

  @Test
  void aStateThatDoesNotFitIntoMemoryIsRefused() {
    long weight = StateWeight.of(state);
    InstallException refused =
        assertThrows(InstallException.class, () -> install(offer(), WORKSPACE, weight - 1));
    assertTrue(refused.lacksMemory());
  }

  private SnapshotOffer offer() {
    return new SnapshotOffer(INDEX, state.root(), manifest);
  }

  private SnapshotInstall install(SnapshotOffer offer) throws InstallException {
    return install(offer, WORKSPACE, Long.MAX_VALUE);
  }

  private SnapshotInstall install(SnapshotOffer offer, WorkspaceId workspace, long maxStateBytes)
      throws InstallException {
    return new SnapshotInstall(
        offer,
        SnapshotInstall.Part.ALL,
        workspace,
        maxStateBytes,
        page -> {
          byte[] bytes = here.get(page);
          if (bytes == null || damaged.contains(page)) {
            throw new PageMissingException(page, "is missing");
          }
          return bytes;
        },
        here::containsKey,
        this::ask);
  }

  private void ask(List<ChunkRef> chunks) {
    for (ChunkRef chunk : chunks) {
      asked.add(chunk.hash());
      allAsked.add(chunk.hash());
    }
    assertTrue(asked.size() <= SnapshotInstall.MAX_IN_FLIGHT, asked.size() + " in flight");
  }

  /** Until it is complete, or has got so many pages. */
  private void run(SnapshotInstall install, int pages) throws InstallException {
    int got = 0;
    while (got < pages) {
      boolean worked = install.work(0);
      if (install.isComplete()) {
        return;
      }
      if (!worked || asked.size() == SnapshotInstall.MAX_IN_FLIGHT) {
        Hash next = asked.removeFirst();
        here.put(next, leader.getOrDefault(next, new byte[0]));
        damaged.remove(next);
        install.stored(next);
        got++;
      }
    }
  }

  private byte[] manifest(long index, long weight) {
    return new Manifest(WORKSPACE, index, index, weight, state)
        .write(PageWriter.complete(state.version(), this::page))
        .bytes();
  }

  private Hash page(byte[] page) {
    Hash hash = Blake3.hash(page);
    leader.put(hash, page);
    return hash;
  }

  private static FsState state() {
    FsState state = FsState.genesis();
    for (int i = 1; i <= INDEX; i++) {
      FsOp create =
          new FsOp.CreateFile(FsState.ROOT, Name.of("a-name-as-long-as-most-" + i), 0644, 1, 2);
      state = States.after(state, create, i, new NodeId(1, i + 1));
    }
    return state;
  }
}
