package io.hypersync.leader.daemon.leadership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.leader.leadership.Claim;
import io.hypersync.leader.leadership.ClaimContent;
import io.hypersync.leader.leadership.ClaimContent.Held;
import io.hypersync.leader.leadership.ClaimException;
import io.hypersync.leader.leadership.ClaimText;
import io.hypersync.leader.leadership.Leadership;
import io.hypersync.leader.leadership.Leadership.Phase;
import io.hypersync.runtime.agent.Clock;
import java.io.IOException;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The claim file on a real disk. */
final class ClaimFileTest {
  private static final int THREADS = 8;

  @TempDir Path directory;

  private Path path() {
    return directory.resolve("run").resolve("leader-1.claim");
  }

  private Leadership process(String name) {
    return new Leadership(
        name,
        ProcessHandle.current().pid(),
        new ClaimFile(path()),
        new ProcProcesses(),
        Clock.SYSTEM,
        Clock.SYSTEM.monotonicNs());
  }

  @Test
  void itIsMadeForThisUserOnly() throws Exception {
    assertEquals(Phase.LEADING, process("a").refresh());
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path())));
    assertEquals(
        "rwx------",
        PosixFilePermissions.toString(Files.getPosixFilePermissions(path().getParent())));
  }

  @Test
  void aReleaseEmptiesItAndDoesNotRemoveIt() throws Exception {
    Leadership leader = process("a");
    leader.refresh();
    Object inode = Files.getAttribute(path(), "unix:ino");
    leader.release();
    assertEquals(0, Files.size(path()));
    assertEquals(inode, Files.getAttribute(path(), "unix:ino"));
  }

  @Test
  void aShorterClaimLeavesNothingOfALongerOne() throws Exception {
    ClaimFile file = new ClaimFile(path());
    write(file, new Held(new Claim("long".repeat(20), 1, 2, 3, "")));
    Held small = new Held(new Claim("a", 1, 2, 3, ""));
    write(file, small);
    assertEquals(ClaimText.of(small), Files.readString(path()));
    assertEquals(small, file.exchange(_ -> Optional.empty()));
  }

  private static void write(ClaimFile file, ClaimContent content) throws ClaimException {
    var _ = file.exchange(_ -> Optional.of(content));
  }

  @Test
  void ofManyThatComeAtOnceOneLeads() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      for (int round = 0; round < 20; round++) {
        Files.deleteIfExists(path());
        CyclicBarrier together = new CyclicBarrier(THREADS);
        List<Future<Phase>> phases = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
          Leadership one = process("i" + i);
          phases.add(
              threads.submit(
                  () -> {
                    together.await();
                    return one.refresh();
                  }));
        }
        int leaders = 0;
        for (Future<Phase> phase : phases) {
          leaders += phase.get(30, TimeUnit.SECONDS) == Phase.LEADING ? 1 : 0;
        }
        assertEquals(1, leaders, "round " + round);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void aDirectoryInItsPlaceIsSaid() throws IOException {
    Files.createDirectories(path());
    ClaimException error =
        assertThrows(
            ClaimException.class, () -> new ClaimFile(path()).exchange(_ -> Optional.empty()));
    assertTrue(error.message().startsWith("the claim file " + path()), error.message());
    assertFalse(error.hint().isEmpty());
    Leadership other = process("a");
    assertEquals(Phase.OBSERVING, other.refresh());
    assertEquals(error.message(), other.view().problem());
  }

  @Test
  void aLinkInItsPlaceIsNotFollowed() throws IOException {
    Path precious = Files.writeString(directory.resolve("precious"), "mine");
    Files.createDirectories(path().getParent());
    Files.createSymbolicLink(path(), precious);
    assertEquals(Phase.OBSERVING, process("a").refresh());
    assertEquals("mine", Files.readString(precious));
  }

  @Test
  void aDiskThatIsFullIsSaid() {
    ClaimContent claim = new Held(new Claim("a", 1, 2, 3, ""));
    ClaimException error =
        assertThrows(
            ClaimException.class,
            () -> new ClaimFile(Path.of("/dev/full")).exchange(_ -> Optional.of(claim)));
    assertTrue(error.message().contains("o space left"), error.message());
  }

  @Test
  void aFileThatIsNoFileMakesNoLeader() {
    Leadership leader =
        new Leadership("a", 1, new ClaimFile(Path.of("/dev/full")), _ -> true, Clock.SYSTEM, 0);
    assertEquals(Phase.OBSERVING, leader.refresh());
  }

  @Test
  void aHugeFileIsNotReadWhole() throws Exception {
    Files.createDirectories(path().getParent());
    Files.writeString(path(), "x".repeat(5_000_000));
    ClaimContent content = new ClaimFile(path()).exchange(_ -> Optional.empty());
    assertTrue(((ClaimContent.Malformed) content).text().length() <= ClaimText.MAX_BYTES + 1);
  }

  @Test
  void aProcessThatHasEndedIsDeadAndOneThatRunsIsAlive() throws Exception {
    ProcProcesses processes = new ProcProcesses();
    assertTrue(processes.isAlive(ProcessHandle.current().pid()));
    assertTrue(processes.isAlive(1), "of another user, perhaps");
    Process child = new ProcessBuilder("true").start();
    child.waitFor();
    assertFalse(processes.isAlive(child.pid()));
  }

  @Test
  void aZombieIsDeadWhateverItsName() throws IOException {
    stat("7", "7 (a) R b) Z 1 7 7 0");
    stat("8", "8 (a Z ) S 1 8 8 0");
    stat("1", "1 (init) S 0");
    ProcProcesses processes = new ProcProcesses(directory);
    assertFalse(processes.isAlive(7));
    assertTrue(processes.isAlive(8));
    assertFalse(processes.isAlive(9));
  }

  /** As with the mount option hidepid: not even the first process is seen. */
  @Test
  void whoCannotSeeProcessesTakesThemForAlive() {
    assertTrue(new ProcProcesses(directory).isAlive(9));
  }

  private void stat(String pid, String text) throws IOException {
    Files.createDirectories(directory.resolve(pid));
    Files.writeString(directory.resolve(pid).resolve("stat"), text);
  }
}
