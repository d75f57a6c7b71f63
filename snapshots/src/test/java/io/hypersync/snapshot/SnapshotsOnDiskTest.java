package io.hypersync.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.InMemoryChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStoreOptions;
import io.hypersync.fixtures.States;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.StateWeight;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.model.trie.PageWriter;
import io.hypersync.snapshot.daemon.Snapshots;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots in a real chunk store and a real directory (hypersync.md 13.1). */
class SnapshotsOnDiskTest {
  private static final WorkspaceId WORKSPACE = new WorkspaceId(1, 2);

  @TempDir private Path directory;
  private ChunkStore chunks;
  private SnapshotCatalog catalog;
  private FsState state = FsState.genesis();
  private long index;

  @BeforeEach
  void open() throws IOException {
    Path chunkDirectory = Files.createDirectories(directory.resolve("chunks"));
    chunks = DiskChunkStore.open(chunkDirectory, DiskChunkStoreOptions.DEFAULT);
    catalog = SnapshotDirectory.open(directory.resolve("snapshots"));
  }

  @AfterEach
  void close() {
    chunks.close();
  }

  @Test
  void withoutASnapshotThereIsNoNewestOne() throws IOException {
    assertNull(newest());
  }

  @Test
  void aSnapshotIsReadAfterAStart() throws IOException {
    createFiles(2_000);
    Snapshot taken = take("first");
    restart();
    Manifest read = newest();
    assertEquals(index, read.index());
    assertEquals(state.root(), read.state().root());
    assertEquals(StateWeight.of(state), read.weight());
    Snapshot listed = catalog.list().getFirst();
    assertEquals(taken.hash(), listed.hash());
    assertEquals("first", listed.name());
    assertTrue(listed.isKept());
  }

  @Test
  void theNextSnapshotWritesWhatHasChanged() throws IOException {
    createFiles(5_000);
    Snapshot first = take("");
    createFiles(1);
    Snapshot second = take("");
    assertTrue(first.pages() > 100, first.pages() + " pages");
    assertTrue(second.pages() <= 6, second.pages() + " pages");
  }

  @Test
  void aSnapshotAfterAStartWritesWhatHasChanged() throws IOException {
    createFiles(5_000);
    take("");
    restart();
    state = newest().state();
    createFiles(1);
    Snapshot second = take("");
    assertTrue(second.pages() <= 6, second.pages() + " pages");
    restart();
    assertEquals(state.root(), newest().state().root());
  }

  /** A start reads pages when they are needed, so it does not notice; one that was told so does. */
  @Test
  void afterAPageWasFoundUnreadableAStartTakesASnapshotThatIsWhole() throws IOException {
    createFiles(2_000);
    long older = index;
    Set<Hash> ofOlder = pages();
    take("");
    createFiles(300);
    take("");
    Hash lost = pages().stream().filter(page -> !ofOlder.contains(page)).findFirst().orElseThrow();
    InMemoryChunkStore damaged = new InMemoryChunkStore();
    for (Set<Hash> each : List.of(ofOlder, pages())) {
      each.stream()
          .filter(page -> !page.equals(lost))
          .forEach(page -> damaged.put(page, chunks.getVerified(page)));
    }
    assertEquals(index, begin(damaged).base());

    Snapshots unaware = begin(damaged);
    unaware.cache().onUnreadable(unaware.suspect()::note);
    FsState begun = Objects.requireNonNull(unaware.newest()).state();
    PageUnreadableException unreadable =
        assertThrows(PageUnreadableException.class, () -> begun.nodes().forEach(_ -> {}));
    assertEquals(lost, unreadable.page());
    assertEquals(older, begin(damaged).base());
    assertEquals(older, begin(damaged).base(), "the damaged one is still there");

    damaged.put(lost, chunks.getVerified(lost));
    assertEquals(index, begin(damaged).base());
    assertFalse(begin(damaged).suspect().areSuspect(), "all of it can be read again");
  }

  private Snapshots begin(ChunkStore from) throws IOException {
    return Snapshots.read(
        directory, WORKSPACE, SnapshotReader.RoomCheck.NONE, SnapshotReader.cache(from, 1, true));
  }

  private Set<Hash> pages() {
    Set<Hash> seen = new HashSet<>();
    var _ = manifest().write(PageWriter.complete(state.version(), page -> seen(seen, page)));
    return seen;
  }

  /** Somebody has put the folder of another workspace in this place. */
  @Test
  void snapshotsOfAnotherWorkspaceAreIgnored() throws IOException {
    createFiles(2_000);
    take("");
    WorkspaceId other = new WorkspaceId(1, 3);
    Snapshots foreign =
        Snapshots.read(
            directory,
            other,
            SnapshotReader.RoomCheck.NONE,
            SnapshotReader.cache(chunks, Long.MAX_VALUE, true));
    assertEquals(List.of(), foreign.known());
    assertEquals(0, foreign.base());
    Snapshots own =
        Snapshots.read(
            directory,
            WORKSPACE,
            SnapshotReader.RoomCheck.NONE,
            SnapshotReader.cache(chunks, Long.MAX_VALUE, true));
    assertEquals(1, own.known().size());
    assertEquals(index, own.base());
  }

  /** A start does not need them, and a collection must not overlook them. */
  @Test
  void filesThatAreNoSnapshotsByTheirNamesAreStrays() throws IOException {
    createFiles(1);
    take("");
    Path folder = directory.resolve("snapshots");
    Path copy = folder.resolve("copy of the first.snapshot");
    Path tooLarge = folder.resolve("9".repeat(20) + ".snapshot");
    Files.write(copy, new byte[1]);
    Files.write(tooLarge, new byte[1]);
    Files.write(folder.resolve("notes"), new byte[1]);
    assertEquals(List.of(index), catalog.indexes());
    assertEquals(Set.of(copy.toString(), tooLarge.toString()), Set.copyOf(catalog.strays()));
    restart();
    assertEquals(index, newest().index());
  }

  @Test
  void whatWasNotFinishedIsNotThere() throws IOException {
    createFiles(2_000);
    SnapshotTask task = task("", catalog);
    assertTrue(task.step()); // the pages
    assertTrue(task.step()); // their sync; it ends here, as in a crash
    restart();
    assertNull(newest());
    take("");
    assertEquals(index, newest().index());
  }

  @Test
  void whatWasGivenUpIsWrittenAgainByTheNextOne() throws IOException {
    createFiles(2_000);
    SnapshotCatalog full = new FullCatalog();
    SnapshotTask task = task("", full);
    assertThrows(
        IOException.class,
        () -> {
          while (task.step()) {}
        });
    assertThrows(IllegalStateException.class, task::result);
    assertThrows(IllegalStateException.class, task::step);
    Snapshot next = take("");
    assertTrue(next.pages() > 10, "its pages count, though the store has them already");
    assertEquals(state.root(), newest().state().root());
  }

  @Test
  void ifTheNewestCannotBeReadAStartThatReadsAllTakesTheOneBefore() throws IOException {
    createFiles(2_000);
    take("");
    long before = index;
    createFiles(1);
    Snapshot newest = take("");
    catalog.put(
        new Snapshot(newest.index(), 0, 0, 0, false, "", withAnotherPage(newest.manifest())));
    assertEquals(newest.index(), newest().index(), "nobody has looked at the page");
    assertEquals(before, newest(true).index());
  }

  /** Memory is asked for before the pages are read. */
  @Test
  void aStateThatDoesNotFitIsRefusedByWhoeverHasTheMemory() throws IOException {
    createFiles(10);
    take("");
    long weight = StateWeight.of(state);
    IllegalStateException refused =
        assertThrows(
            IllegalStateException.class,
            () ->
                SnapshotReader.newest(
                    catalog.list(),
                    SnapshotReader.cache(chunks, Long.MAX_VALUE, true),
                    WORKSPACE,
                    (at, bytes) -> {
                      throw new IllegalStateException(at + " takes " + bytes);
                    },
                    false));
    assertEquals(index + " takes " + weight, refused.getMessage());
  }

  @Test
  void aDamagedFileIsPassedOver() throws IOException {
    createFiles(10);
    take("");
    long before = index;
    createFiles(10);
    take("");
    Path file = directory.resolve(String.format("snapshots/%020d.snapshot", index));
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length / 2] ^= 1;
    Files.write(file, bytes);
    Files.writeString(directory.resolve("snapshots/notes.txt"), "not ours");
    assertEquals(List.of(before), catalog.list().stream().map(Snapshot::index).toList());
    assertEquals(before, newest().index());
  }

  @Test
  void aFileOfAnotherNameIsPassedOver() throws IOException {
    createFiles(10);
    take("");
    Path folder = directory.resolve("snapshots");
    Files.copy(
        folder.resolve(String.format("%020d.snapshot", index)),
        folder.resolve(String.format("%020d.snapshot", index + 1)));
    assertEquals(1, catalog.list().size());
  }

  @Test
  void aSnapshotOfAnotherWorkspaceIsNotUsed() throws IOException {
    createFiles(10);
    take("");
    WorkspaceId other = new WorkspaceId(9, 9);
    assertNull(
        SnapshotReader.newest(
            catalog.list(),
            SnapshotReader.cache(chunks, Long.MAX_VALUE, true),
            other,
            SnapshotReader.RoomCheck.NONE,
            false));
  }

  @Test
  void whatIsRemovedIsGone() throws IOException {
    createFiles(1);
    take("");
    catalog.remove(index);
    catalog.remove(index);
    assertEquals(List.of(), catalog.list());
  }

  @Test
  void aSnapshotIsVerifiedPageByPage() throws Exception {
    createFiles(2_000);
    Snapshot taken = take("");
    assertEquals(state.root(), SnapshotReader.verify(taken, chunks, WORKSPACE).state().root());
    Snapshot other = new Snapshot(index, 0, 0, 0, false, "", withAnotherPage(taken.manifest()));
    assertThrows(PageMissingException.class, () -> SnapshotReader.verify(other, chunks, WORKSPACE));
  }

  @Test
  void aSnapshotOfAnotherReplicaIsThereWhenItIsWhole() throws IOException {
    createFiles(2_000);
    Snapshot received = take("");
    catalog.remove(index);
    InstallTask task = install(received);
    assertTrue(task.step()); // the sync
    assertTrue(task.step()); // all hashes
    assertEquals(List.of(), catalog.list());
    assertFalse(task.step());
    restart();
    assertEquals(state.root(), newest().state().root());
  }

  /**
   * A replica begins with a snapshot before it is in the catalog. Its state is marked with the
   * pages, so the next snapshot writes only what has changed.
   */
  @Test
  void theNextSnapshotSharesThePagesOfOneThatWasInstalled() throws Exception {
    createFiles(2_000);
    Snapshot received = take("");
    catalog.remove(index);
    PageCache cache = SnapshotReader.cache(chunks, 1 << 20, true);
    Snapshots begun = Snapshots.begin(directory, WORKSPACE, received, cache);
    assertEquals(received, begun.received());
    assertEquals(List.of(), begun.known());
    state = begun.newest().state();
    createFiles(1);
    InstallTask task = install(received);
    while (task.step()) {}
    assertTrue(take("").pages() < 5);
    assertEquals(state.root(), newest().state().root());
  }

  /** A page that is intact, and not the one that the snapshot had. */
  @Test
  void aSnapshotOfAnotherReplicaWithThePageOfAnotherOneIsNotThere() throws IOException {
    createFiles(2_000);
    byte[] before = take("").manifest();
    NodeId last = new NodeId(1, index + 1);
    index++;
    FsOp chmod = new FsOp.SetAttributes(last, FsOp.SetAttributes.MODE, 0600, 0, 0, 0);
    state = States.after(state, chmod, index, last);
    byte[] after = take("").manifest().clone();
    int at = after.length - Hash.BYTES - 1;
    System.arraycopy(before, before.length - Hash.BYTES - 1, after, at, Hash.BYTES);
    catalog.remove(index);
    InstallTask task = install(new Snapshot(index, 0, 0, 0, false, "", after));
    assertTrue(task.step());
    IOException refused = assertThrows(IOException.class, task::step);
    assertTrue(String.valueOf(refused.getMessage()).contains(" another hash than "));
    assertTrue(task.isRefuted(), "no other attempt gives another result");
    assertEquals(1, catalog.list().size());
  }

  private InstallTask install(Snapshot received) {
    return new InstallTask(received, WORKSPACE, chunks, catalog, () -> false);
  }

  @Test
  void anInstallEndsWhenTheReplicaStops() throws IOException {
    createFiles(2_000);
    Snapshot received = take("");
    InstallTask task = new InstallTask(received, WORKSPACE, chunks, catalog, () -> true);
    assertTrue(task.step());
    ChunkStoreException stops = assertThrows(ChunkStoreException.class, task::step);
    assertEquals(Errno.EAGAIN, stops.errno());
  }

  @Test
  void aSnapshotOfAnotherReplicaThatLacksAPageIsNotThere() throws IOException {
    createFiles(2_000);
    Snapshot taken = take("");
    catalog.remove(index);
    Snapshot cut = new Snapshot(index, 0, 0, 0, false, "", withAnotherPage(taken.manifest()));
    InstallTask task = install(cut);
    assertTrue(task.step());
    assertThrows(IOException.class, task::step);
    assertFalse(task.isRefuted(), "the page may come");
    assertEquals(List.of(), catalog.list());
  }

  private Manifest newest() throws IOException {
    return newest(false);
  }

  private Manifest newest(boolean readsAll) throws IOException {
    return SnapshotReader.newest(
        catalog.list(),
        SnapshotReader.cache(chunks, Long.MAX_VALUE, true),
        WORKSPACE,
        SnapshotReader.RoomCheck.NONE,
        readsAll);
  }

  private void restart() throws IOException {
    close();
    open();
  }

  private void createFiles(int count) {
    for (int i = 0; i < count; i++) {
      index++;
      FsOp create = new FsOp.CreateFile(FsState.ROOT, Name.of("file-" + index), 0644, 1, 2);
      state = States.after(state, create, index, new NodeId(1, index + 1));
    }
  }

  private Snapshot take(String name) throws IOException {
    SnapshotTask task = task(name, catalog);
    while (task.step()) {}
    Snapshot taken = task.result();
    Set<Hash> seen = new HashSet<>();
    var _ = manifest().write(PageWriter.complete(state.version(), page -> seen(seen, page)));
    for (Hash page : seen) {
      assertNotNull(chunks.getVerified(page), "a page that the snapshot leads to");
    }
    return taken;
  }

  private static Hash seen(Set<Hash> seen, byte[] page) {
    Hash hash = Blake3.hash(page);
    seen.add(hash);
    return hash;
  }

  private SnapshotTask task(String name, SnapshotCatalog into) {
    return new SnapshotTask(
        manifest(),
        name,
        5,
        chunks,
        into,
        RateLimit.NONE,
        SnapshotReader.cache(chunks, Long.MAX_VALUE, true));
  }

  private Manifest manifest() {
    return new Manifest(WORKSPACE, index, index, StateWeight.of(state), state);
  }

  /** The manifest with a reference to a page that is not there: its last 32 bytes are a hash. */
  private static byte[] withAnotherPage(byte[] manifest) {
    byte[] changed = manifest.clone();
    changed[changed.length - 2] ^= 1; // the byte behind it says that there are no orphans
    return changed;
  }

  private static final class FullCatalog implements SnapshotCatalog {
    @Override
    public List<Snapshot> list() {
      return List.of();
    }

    @Override
    public void put(Snapshot snapshot) throws IOException {
      throw new IOException("No space left on device");
    }

    @Override
    public void remove(long index) {}

    @Override
    public List<Long> indexes() {
      return List.of();
    }

    @Override
    public void setAside() {}
  }
}
