package io.hypersync.leader.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.leader.reservation.ArchiveOptions;
import io.hypersync.leader.reservation.Reservation;
import io.hypersync.leader.reservation.ReservationTable;
import io.hypersync.runtime.agent.Clock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is read of an archive's files while somebody writes them (hypersync.md 10.3). */
class ReservationArchiveTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  @TempDir Path directory;

  private volatile ReservationTable told = ReservationTable.EMPTY;
  private ReservationArchive archive;
  private Path root;

  @AfterEach
  void stop() {
    if (archive != null) {
      archive.close();
    }
  }

  @Test
  void whatIsThereAtTheStartIsRead() throws Exception {
    write("team", "id-1.json", record(1, "Blue", "src/*.go", ""));
    start();
    await(() -> holders("src/a.go").equals(List.of("Blue")));
    assertTrue(archive.freshness(archive.view()).isFresh());
    assertEquals(1, archive.view().files());
  }

  @Test
  void aNewFileIsReadAtOnceAndAReleaseToo() throws Exception {
    write("team", "id-1.json", record(1, "Blue", "a", ""));
    start();
    await(() -> holders("a").equals(List.of("Blue")));
    long beganNs = System.nanoTime();
    write("team", "id-2.json", record(2, "Green", "b", ""));
    await(() -> holders("b").equals(List.of("Green")));
    write("team", "id-1.json", record(1, "Blue", "a", "2026-01-01T00:00:00Z"));
    await(() -> holders("a").isEmpty());
    Files.delete(folder("team").resolve("id-2.json"));
    await(() -> holders("b").isEmpty());
    assertTrue(
        System.nanoTime() - beganNs < Duration.ofSeconds(15).toNanos(),
        "the kernel tells, and not the look at everything each 30 s");
  }

  @Test
  void anArchiveMayComeLaterAndProjectsToo() throws Exception {
    root = directory.resolve("archive");
    start();
    await(() -> !archive.view().lastError().isEmpty());
    assertFalse(archive.freshness(archive.view()).isFresh());
    assertEquals(-1, archive.freshness(archive.view()).ageNs(), "never looked at");
    archive.close();
    Files.createDirectories(root);
    start();
    await(() -> archive.freshness(archive.view()).isFresh());
    write("team", "id-1.json", record(1, "Blue", "a", ""));
    await(() -> holders("a").equals(List.of("Blue")));
  }

  /** One of the servers writes into the file that is read. */
  @Test
  void whileAFileIsHalfWrittenItSaysWhatItHasSaid() throws Exception {
    String whole = record(1, "Blue", "a", "");
    write("team", "id-1.json", whole);
    start();
    await(() -> holders("a").equals(List.of("Blue")));
    write("team", "id-1.json", whole.substring(0, 20));
    await(() -> archive.view().damaged() == 1, "it counts as damaged after some attempts");
    assertEquals(List.of("Blue"), holders("a"));
    write("team", "id-1.json", record(1, "Blue", "other", ""));
    await(() -> holders("other").equals(List.of("Blue")) && archive.view().damaged() == 0);
    assertEquals(List.of(), holders("a"));
  }

  @Test
  void aFileThatTakesThePlaceOfAnotherIsRead() throws Exception {
    write("team", "id-1.json", record(1, "Blue", "a", ""));
    start();
    await(() -> holders("a").equals(List.of("Blue")));
    Path next = folder("team").resolve(".new");
    Files.writeString(next, record(1, "Blue", "b", ""));
    Files.move(next, folder("team").resolve("id-1.json"), StandardCopyOption.ATOMIC_MOVE);
    await(() -> holders("b").equals(List.of("Blue")) && holders("a").isEmpty());
  }

  @Test
  void theArchiveMayBeALinkButNothingInItIs() throws Exception {
    Path real = directory.resolve("real");
    root = real;
    write("team", "id-1.json", record(1, "Blue", "a", ""));
    Path outside = Files.createDirectories(directory.resolve("outside/file_reservations"));
    Files.writeString(outside.resolve("id-2.json"), record(2, "Green", "b", ""));
    Files.createSymbolicLink(real.resolve("projects/linked"), outside.getParent());
    Files.createSymbolicLink(folder("team").resolve("id-2.json"), outside.resolve("id-2.json"));
    Files.createDirectories(real.resolve("projects/half"));
    Files.createSymbolicLink(real.resolve("projects/half/file_reservations"), outside);
    root = Files.createSymbolicLink(directory.resolve("link"), real);
    start();
    await(() -> holders("a").equals(List.of("Blue")));
    assertEquals(List.of(), holders("b"));
    assertEquals(1, archive.view().files());
    assertEquals("", archive.view().lastError());
  }

  @Test
  void otherFilesDoNotMatter() throws Exception {
    write("team", "id-1.json", record(1, "Blue", "a", ""));
    write("team", "notes.json", record(2, "Green", "b", ""));
    write("team", "id-x.json", record(3, "Green", "b", ""));
    write("team", "id-4.json", "x".repeat(70_000));
    Files.createDirectories(folder("team").resolve("id-5.json"));
    Files.writeString(root.resolve("projects/a-file"), "");
    start();
    await(() -> holders("a").equals(List.of("Blue")));
    assertEquals(List.of(), holders("b"));
    assertEquals(2, archive.view().files());
    assertEquals(1, archive.view().unusable(), "too large");
  }

  /** Agent Mail never removes files. */
  @Test
  void thousandsOfOldFilesAreReadOnce() throws Exception {
    for (int i = 1; i <= 5_000; i++) {
      write("team", "id-" + i + ".json", record(i, "Blue", "a" + i, "2026-01-01T00:00:00Z"));
    }
    write("team", "id-9999.json", record(9_999, "Green", "b", ""));
    ArchiveScan scan = new ArchiveScan(root, _ -> {});
    scan.all(0);
    assertEquals(5_001, scan.files());
    List<Reservation> first = scan.reservations();
    assertEquals(1, first.size());
    long beganNs = System.nanoTime();
    for (int i = 0; i < 10; i++) {
      scan.all(0);
    }
    long ms = (System.nanoTime() - beganNs) / 10 / 1_000_000;
    assertSame(first.getFirst(), scan.reservations().getFirst(), "the file is not read again");
    assertTrue(ms < 2_000, () -> "a look takes " + ms + " ms");
  }

  /** Of them there are more and more. */
  @Test
  void ofWhatHasExpiredNothingIsKept() throws Exception {
    write("team", "id-1.json", record(1, "Blue", "a", ""));
    ArchiveScan scan = new ArchiveScan(root, _ -> {});
    scan.all(0);
    assertEquals(1, scan.reservations().size());
    scan.all(Long.MAX_VALUE);
    assertEquals(List.of(), scan.reservations());
    assertEquals(1, scan.files());
  }

  private void start() throws IOException {
    root = root == null ? Files.createDirectories(directory.resolve("archive")) : root;
    archive =
        new ReservationArchive(
            new ArchiveOptions(root.toString(), List.of("/ws/team")),
            Clock.SYSTEM,
            known -> told = known.table());
    archive.start();
  }

  private List<String> holders(String path) {
    return told.covering(path, false, Clock.SYSTEM.epochNs()).stream()
        .map(held -> held.holder().agent())
        .toList();
  }

  private Path folder(String project) {
    root = root == null ? directory.resolve("archive") : root;
    return root.resolve("projects").resolve(project).resolve("file_reservations");
  }

  private void write(String project, String name, String content) throws IOException {
    Files.createDirectories(folder(project));
    Files.writeString(folder(project).resolve(name), content);
  }

  private static String record(long id, String agent, String pattern, String released) {
    return """
    {"id": %d, "project": "/ws/team", "agent": "%s", "path_pattern": "%s", "exclusive": true,
     "reason": "", "created_ts": "2026-01-01T00:00:00Z", "expires_ts": "2199-01-01T00:00:00Z",
     "released_ts": "%s"}
    """
        .formatted(id, agent, pattern, released);
  }

  private static void await(BooleanSupplier what) throws InterruptedException {
    await(what, "it did not come about");
  }

  private static void await(BooleanSupplier what, String message) throws InterruptedException {
    long endNs = System.nanoTime() + LIMIT.toNanos();
    while (!what.getAsBoolean()) {
      assertTrue(System.nanoTime() < endNs, message);
      Thread.sleep(5);
    }
  }
}
