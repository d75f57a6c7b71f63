package io.hypersync.runtime.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The lock of a file for a moment, among threads and processes. */
@Timeout(60)
final class MomentaryLockTest {
  @TempDir Path temp;

  private Path file = Path.of("");

  @BeforeEach
  void name() {
    file = temp.resolve("run").resolve("a.lock");
  }

  @Test
  void itMakesTheFileForThisUserOnly() throws Exception {
    try (MomentaryLock lock = MomentaryLock.take(file)) {
      assertTrue(lock.channel().isOpen());
    }
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    assertEquals(
        "rwx------",
        PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())));
  }

  @Test
  void oneThreadAtATimeHasIt() throws Exception {
    AtomicInteger inside = new AtomicInteger();
    Runnable work =
        () -> {
          for (int i = 0; i < 50; i++) {
            try (MomentaryLock _ = MomentaryLock.take(file)) {
              assertEquals(1, inside.incrementAndGet());
              inside.decrementAndGet();
            } catch (IOException e) {
              throw new IllegalStateException(e);
            }
          }
        };
    CompletableFuture<Void> one = CompletableFuture.runAsync(work);
    CompletableFuture<Void> other = CompletableFuture.runAsync(work);
    one.get(50, TimeUnit.SECONDS);
    other.get(50, TimeUnit.SECONDS);
  }

  @Test
  void aThreadThatKeepsItHoldsUpOthersForAMomentOnly() throws Exception {
    try (MomentaryLock _ = MomentaryLock.take(file)) {
      ExecutionException error =
          assertThrows(ExecutionException.class, () -> elsewhere(file).get(30, TimeUnit.SECONDS));
      assertTrue(error.getCause() instanceof FileLockedException, error::toString);
      elsewhere(file.resolveSibling("b.lock")).get(30, TimeUnit.SECONDS);
    }
    elsewhere(file).get(30, TimeUnit.SECONDS);
  }

  /** The same file by another name: a directory that is a link. */
  @Test
  void aLinkToItsDirectoryLeadsToTheSameLock() throws Exception {
    Files.createDirectories(file.getParent());
    Path link = Files.createSymbolicLink(temp.resolve("link"), file.getParent());
    try (MomentaryLock _ = MomentaryLock.take(file)) {
      ExecutionException error =
          assertThrows(
              ExecutionException.class,
              () -> elsewhere(link.resolve("a.lock")).get(30, TimeUnit.SECONDS));
      assertTrue(error.getCause() instanceof FileLockedException, error::toString);
    }
  }

  private static CompletableFuture<Void> elsewhere(Path file) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    Thread.ofPlatform()
        .start(
            () -> {
              try (MomentaryLock _ = MomentaryLock.take(file)) {
                done.complete(null);
              } catch (IOException e) {
                done.completeExceptionally(e);
              }
            });
    return done;
  }

  @Test
  void anotherProcessKeepsItUntilItEnds() throws Exception {
    MomentaryLock.take(file).close();
    Process other =
        new ProcessBuilder(
                "python3",
                "-c",
                "import fcntl,sys; f=open(sys.argv[1],'r+'); fcntl.lockf(f,fcntl.LOCK_EX);"
                    + " print('locked',flush=True); sys.stdin.read()",
                file.toString())
            .start();
    try (BufferedReader said = other.inputReader()) {
      assertEquals("locked", said.readLine());
      assertThrows(FileLockedException.class, () -> MomentaryLock.take(file));
    } finally {
      other.destroyForcibly().waitFor();
    }
    MomentaryLock.take(file).close();
  }

  @Test
  void aLinkInItsPlaceIsNotFollowed() throws Exception {
    Files.createDirectories(file.getParent());
    Files.createSymbolicLink(file, temp.resolve("elsewhere"));
    assertThrows(IOException.class, () -> MomentaryLock.take(file));
    assertFalse(Files.exists(temp.resolve("elsewhere")));
    Files.delete(file);
    MomentaryLock.take(file).close(); // what has failed holds nothing
  }

  @Test
  void whoIsInterruptedDoesNotGetIt() throws Exception {
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    Thread waits =
        Thread.ofPlatform()
            .unstarted(
                () -> {
                  try (MomentaryLock _ = MomentaryLock.take(file)) {
                    interrupted.completeExceptionally(new AssertionError("it was taken"));
                  } catch (InterruptedIOException e) {
                    interrupted.complete(Thread.currentThread().isInterrupted());
                  } catch (IOException e) {
                    interrupted.completeExceptionally(e);
                  }
                });
    try (MomentaryLock _ = MomentaryLock.take(file)) {
      waits.start();
      waits.interrupt();
      assertTrue(interrupted.get(30, TimeUnit.SECONDS), "who waits is told so again");
    }
  }
}
