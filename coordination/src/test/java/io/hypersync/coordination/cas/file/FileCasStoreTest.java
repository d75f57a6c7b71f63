package io.hypersync.coordination.cas.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.coordination.cas.CasException;
import io.hypersync.coordination.cas.CasRecord;
import io.hypersync.coordination.cas.CasStore;
import io.hypersync.fixtures.ManualClock;
import io.hypersync.runtime.agent.Clock;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A store on a real disk. */
@Timeout(60)
final class FileCasStoreTest {
  private static final String KEY = "background-1";
  private static final int WRITES = 40;

  @TempDir Path temp;

  private Path directory() {
    return temp.resolve("run").resolve("records");
  }

  private Path record() {
    return directory().resolve(KEY + ".record");
  }

  private FileCasStore store() {
    return new FileCasStore(directory(), Clock.SYSTEM);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(CasStore store) throws CasException {
    return new String(store.read(KEY).orElseThrow().value(), StandardCharsets.UTF_8);
  }

  @Test
  void aKeyThatNobodyHasWrittenHasNoRecord() throws Exception {
    assertTrue(store().read(KEY).isEmpty());
    assertFalse(Files.exists(directory()), "a look makes nothing");
  }

  @Test
  void aRecordIsMadeOnceAndReplacedByWhoHasReadIt() throws Exception {
    FileCasStore store = store();
    long first = store.create(KEY, bytes("a")).orElseThrow();
    assertTrue(store.create(KEY, bytes("b")).isEmpty(), "it is there");
    long second = store.update(KEY, bytes("c"), first).orElseThrow();
    assertTrue(second > first);
    assertTrue(store.update(KEY, bytes("d"), first).isEmpty(), "it is another one by now");
    assertTrue(store.update(KEY, bytes("d"), second + 1).isEmpty());
    CasRecord read = store().read(KEY).orElseThrow();
    assertArrayEquals(bytes("c"), read.value());
    assertEquals(second, read.revision());
    assertTrue(store.update("other", bytes("d"), 1).isEmpty(), "there is none");
  }

  @Test
  void anEmptiedRecordIsThere() throws Exception {
    FileCasStore store = store();
    long first = store.create(KEY, bytes("a")).orElseThrow();
    long second = store.update(KEY, new byte[0], first).orElseThrow();
    assertEquals(0, store.read(KEY).orElseThrow().value().length);
    assertTrue(store.create(KEY, bytes("b")).isEmpty());
    assertTrue(store.update(KEY, bytes("b"), second).isPresent());
  }

  @Test
  void aRecordThatWasRemovedComesBackWithALargerRevision() throws Exception {
    FileCasStore store = store();
    long before = store.create(KEY, bytes("a")).orElseThrow();
    for (int i = 0; i < WRITES; i++) {
      before = store.update(KEY, bytes("a" + i), before).orElseThrow();
    }
    Files.delete(record());
    assertTrue(store.update(KEY, bytes("b"), before).isEmpty(), "it is gone");
    assertTrue(store.create(KEY, bytes("b")).orElseThrow() > before);
  }

  @Test
  void evenIfTheClockWasSetBackItIsNotTakenForTheOldOne() throws Exception {
    ManualClock clock = new ManualClock(1_000_000);
    FileCasStore store = new FileCasStore(directory(), clock);
    long before = store.create(KEY, bytes("a")).orElseThrow();
    Files.delete(record());
    clock.set(999_000);
    assertNotEquals(before, store.create(KEY, bytes("b")).orElseThrow());
    assertTrue(store.update(KEY, bytes("a"), before).isEmpty());
  }

  @Test
  void aClockBeforeItsBeginningGivesRevisionsToo() throws Exception {
    FileCasStore store = new FileCasStore(directory(), new ManualClock(-5));
    assertEquals(Optional.of(1L), store.create(KEY, bytes("a")));
  }

  @Test
  void itIsForThisUserOnlyAndLeavesNothingBehind() throws Exception {
    FileCasStore store = store();
    store.update(KEY, bytes("b"), store.create(KEY, bytes("a")).orElseThrow());
    assertEquals(
        "rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(directory())));
    try (var all = Files.list(directory())) {
      assertEquals(
          List.of(KEY + ".lock", KEY + ".record"),
          all.map(path -> path.getFileName().toString()).sorted().toList());
    }
  }

  /** Each adds to a number what it has read there. None gets lost, and no revision comes twice. */
  @ParameterizedTest
  @ValueSource(ints = {2, 8})
  void ofManyThatWriteAtOnceOneSucceedsEachTime(int writers) throws Exception {
    var _ = store().create(KEY, bytes("0")).orElseThrow();
    ExecutorService threads = Executors.newFixedThreadPool(writers);
    try {
      CyclicBarrier together = new CyclicBarrier(writers);
      List<Future<List<Long>>> all = new ArrayList<>();
      for (int i = 0; i < writers; i++) {
        FileCasStore store = store();
        all.add(
            threads.submit(
                () -> {
                  together.await();
                  return counted(store);
                }));
      }
      List<Long> revisions = new ArrayList<>();
      for (Future<List<Long>> one : all) {
        revisions.addAll(one.get(50, TimeUnit.SECONDS));
      }
      assertEquals(writers * WRITES, Integer.parseInt(text(store())));
      assertEquals(revisions.size(), revisions.stream().distinct().count());
    } finally {
      threads.shutdownNow();
    }
  }

  private static List<Long> counted(CasStore store) throws CasException {
    List<Long> revisions = new ArrayList<>();
    while (revisions.size() < WRITES) {
      CasRecord read = store.read(KEY).orElseThrow();
      int next = Integer.parseInt(new String(read.value(), StandardCharsets.UTF_8)) + 1;
      store.update(KEY, bytes(String.valueOf(next)), read.revision()).ifPresent(revisions::add);
    }
    return revisions;
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 8})
  void ofManyThatMakeARecordAtOnceOneDoes(int writers) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(writers);
    try {
      for (int round = 0; round < 20; round++) {
        Files.deleteIfExists(record());
        CyclicBarrier together = new CyclicBarrier(writers);
        List<Future<Optional<Long>>> all = new ArrayList<>();
        for (int i = 0; i < writers; i++) {
          FileCasStore store = store();
          String name = "w" + i;
          all.add(
              threads.submit(
                  () -> {
                    together.await();
                    return store.create(KEY, bytes(name));
                  }));
        }
        int made = 0;
        for (int i = 0; i < writers; i++) {
          if (all.get(i).get(30, TimeUnit.SECONDS).isPresent()) {
            made++;
            assertEquals("w" + i, text(store()));
          }
        }
        assertEquals(1, made, "round " + round);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** A process that holds the lock and was stopped; when it ends, the kernel frees it. */
  @Test
  void whoHangsWithTheLockHoldsUpWritersForAMomentAndReadersNotAtAll() throws Exception {
    FileCasStore store = store();
    long first = store.create(KEY, bytes("a")).orElseThrow();
    Path lock = directory().resolve(KEY + ".lock");
    Process other =
        new ProcessBuilder(
                "python3",
                "-c",
                "import fcntl,sys; f=open(sys.argv[1],'r+'); fcntl.lockf(f,fcntl.LOCK_EX);"
                    + " print('locked',flush=True); sys.stdin.read()",
                lock.toString())
            .start();
    try (BufferedReader said = other.inputReader()) {
      assertEquals("locked", said.readLine());
      CasException error =
          assertThrows(CasException.class, () -> store.update(KEY, bytes("b"), first));
      assertTrue(error.getMessage().endsWith("is locked by another process"), error.getMessage());
      assertTrue(error.hint().contains("fuser " + lock), error.hint());
      assertEquals("a", text(store));
      other.destroyForcibly().waitFor();
      assertTrue(store.update(KEY, bytes("b"), first).isPresent());
    } finally {
      other.destroyForcibly().waitFor();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "garbage", "hypersync-record: 1\nrevision: 7\nbytes: 9\n\ntorn"})
  void aDamagedRecordIsSaidAndNobodyWrites(String text) throws Exception {
    FileCasStore store = store();
    long first = store.create(KEY, bytes("a")).orElseThrow();
    Files.writeString(record(), text);
    for (CasException error : refusals(store, first)) {
      assertTrue(error.getMessage().contains(record() + " is damaged"), error.getMessage());
      assertFalse(error.hint().isEmpty());
    }
    assertEquals(text, Files.readString(record()));
  }

  @Test
  void aHugeRecordIsNotReadWhole() throws Exception {
    Files.createDirectories(directory());
    Files.write(record(), new byte[5_000_000]);
    refusals(store(), 1);
  }

  @Test
  void aDirectoryInItsPlaceIsSaid() throws Exception {
    Files.createDirectories(record());
    for (CasException error : refusals(store(), 1)) {
      assertTrue(error.getMessage().contains(record() + " is no file"), error.getMessage());
    }
  }

  @Test
  void aLinkInItsPlaceIsNotFollowed() throws Exception {
    Path precious = Files.writeString(temp.resolve("precious"), "mine");
    Files.createDirectories(directory());
    Files.createSymbolicLink(record(), precious);
    refusals(store(), 1);
    assertEquals("mine", Files.readString(precious));
  }

  @Test
  void aFileInPlaceOfTheStoreIsSaid() throws Exception {
    Files.writeString(temp.resolve("run"), "");
    CasException error = assertThrows(CasException.class, () -> store().create(KEY, bytes("a")));
    assertTrue(error.getMessage().startsWith("the record " + record()), error.getMessage());
    assertFalse(error.hint().isEmpty());
  }

  private static List<CasException> refusals(CasStore store, long revision) {
    return List.of(
        assertThrows(CasException.class, () -> store.read(KEY)),
        assertThrows(CasException.class, () -> store.create(KEY, bytes("b"))),
        assertThrows(CasException.class, () -> store.update(KEY, bytes("b"), revision)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "..", ".hidden", "a/b", "a b", "ä", "a\n"})
  void aKeyThatIsNoFileNameIsRefused(String key) {
    FileCasStore store = store();
    assertThrows(CasException.class, () -> store.read(key));
    assertThrows(CasException.class, () -> store.create(key, bytes("a")));
    assertThrows(CasException.class, () -> store.update(key, bytes("a"), 1));
  }

  @Test
  void aValueThatIsTooLongIsAProgrammersMistake() {
    FileCasStore store = store();
    byte[] value = new byte[CasStore.MAX_VALUE_BYTES + 1];
    assertThrows(IllegalArgumentException.class, () -> store.create(KEY, value));
  }

  @Test
  @Tag("mount")
  void onAFullDiskTheOldRecordStays() throws Exception {
    Path disk = Files.createDirectories(temp.resolve("disk"));
    run("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk.toString());
    try {
      FileCasStore store = new FileCasStore(disk.resolve("records"), Clock.SYSTEM);
      long first = store.create(KEY, bytes("a")).orElseThrow();
      assertThrows(
          IOException.class, () -> Files.write(disk.resolve("ballast"), new byte[1 << 20]));
      CasException error =
          assertThrows(CasException.class, () -> store.update(KEY, bytes("b"), first));
      assertTrue(error.getMessage().contains("o space left"), error.getMessage());
      assertFalse(error.hint().isEmpty());
      assertEquals("a", text(store));
      Files.delete(disk.resolve("ballast"));
      assertTrue(store.update(KEY, bytes("b"), first).isPresent());
    } finally {
      run("umount", disk.toString());
    }
  }

  private static void run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).inheritIO().start();
    assertEquals(0, process.waitFor(), () -> String.join(" ", command));
  }
}
