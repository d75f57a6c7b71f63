package io.hypersync.e2e.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.PythonProcess;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestClusterExtension;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** flock and fcntl locks on two mounts of one workspace (hypersync.md 10.2). */
@RealMounts
class LocksAcrossMountsTest {
  @RegisterExtension static final TestClusterExtension EXTENSION = new TestClusterExtension();

  @Test
  void fcntlRangesExcludeEachOther() throws Exception {
    try (FileChannel a = open("a", "ranges");
        FileChannel b = open("b", "ranges")) {
      FileLock held = a.lock(10, 10, false);
      assertNull(b.tryLock(15, 1, false));
      assertNull(b.tryLock(0, Long.MAX_VALUE, true));
      FileLock beside = b.tryLock(20, 10, false);
      assertNotNull(beside);
      held.release();
      FileLock shared = b.tryLock(10, 5, true);
      assertNotNull(shared);
      assertNotNull(a.tryLock(10, 5, true), "readers share");
      assertNull(a.tryLock(22, 1, true));
    }
  }

  @Test
  void whoIsGrantedSeesWhatTheHolderWrote() throws Exception {
    try (FileChannel a = open("a", "baton");
        FileChannel b = open("b", "baton");
        ExecutorService other = Executors.newSingleThreadExecutor()) {
      for (int round = 0; round < 20; round++) {
        FileChannel holder = round % 2 == 0 ? a : b;
        FileChannel waiter = round % 2 == 0 ? b : a;
        String text = "round " + round + "\n";
        FileLock held = holder.lock();
        Future<String> seen =
            other.submit(
                () -> {
                  try (FileLock _ = waiter.lock()) {
                    ByteBuffer bytes = ByteBuffer.allocate(64);
                    int length = waiter.read(bytes, 0);
                    return new String(bytes.array(), 0, length, StandardCharsets.UTF_8);
                  }
                });
        holder.truncate(0);
        holder.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), 0);
        assertFalse(seen.isDone());
        held.release();
        assertEquals(text, seen.get());
      }
    }
  }

  /** The kernel does not report which process unlocks; F_GETLK must still name the holder. */
  @Test
  void whoIsInTheWayIsNamedAfterHeHasUnlockedOtherBytes() throws Exception {
    Path file = file("a", "named");
    try (PythonProcess holder = PythonProcess.start();
        PythonProcess asking = PythonProcess.start()) {
      for (PythonProcess each : List.of(holder, asking)) {
        each.must("import fcntl, struct");
        each.must("fd = os.open('" + file + "', os.O_RDWR)");
      }
      holder.must("fcntl.lockf(fd, fcntl.LOCK_EX, 10, 0)");
      holder.must("fcntl.lockf(fd, fcntl.LOCK_UN, 5, 0)");
      asking.must("asked = struct.pack('hhqqi', fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)");
      asking.must("held = struct.unpack('hhqqi', fcntl.fcntl(fd, fcntl.F_GETLK, asked))");
      asking.must("assert held[:4] == (fcntl.F_WRLCK, os.SEEK_SET, 5, 5), held");
      asking.must("assert os.path.samefile(f'/proc/{held[4]}/exe', sys.executable), held");
    }
  }

  @Test
  void aCircleOverTwoMountsIsRefused() throws Exception {
    try (FileChannel a = open("a", "circle");
        FileChannel b = open("b", "circle");
        ExecutorService other = Executors.newSingleThreadExecutor()) {
      FileLock first = a.lock(0, 1, false);
      FileLock second = b.lock(1, 1, false);
      Future<FileLock> waits = other.submit(() -> a.lock(1, 1, false));
      Await.until(
          "A waits",
          () -> EXTENSION.get().leader().status().path("locks").path("waiting").asInt() == 1);
      IOException refused = assertThrows(IOException.class, () -> b.lock(0, 1, false));
      assertTrue(String.valueOf(refused.getMessage()).contains("deadlock"), refused::getMessage);
      second.release();
      assertTrue(waits.get().isValid());
      first.release();
    }
  }

  @Test
  void flockExcludesAndCloseLetsGo() throws Exception {
    Path a = file("a", "flock");
    Path b = file("b", "flock");
    try (LockHolder _ = LockHolder.start(a, "-s").awaitLocked()) {
      assertEquals(0, tryFlock("-s", b), "readers share");
      assertEquals(1, tryFlock("-x", b));
      assertEquals(1, tryFlock("-x", a), "on the same mount too");
      try (FileChannel channel = open("b", "flock")) {
        assertNotNull(channel.tryLock(), "fcntl does not see flock");
      }
      try (LockHolder waiter = LockHolder.start(b, "-x")) {
        Thread.sleep(300);
        assertFalse(waiter.isLocked());
      }
    }
    try (LockHolder first = LockHolder.start(a, "-x").awaitLocked();
        LockHolder second = LockHolder.start(b, "-x")) {
      Thread.sleep(300);
      assertFalse(second.isLocked());
      first.letGo();
      second.awaitLocked();
    }
  }

  @Test
  void aSignalEndsAWait() throws Exception {
    Path b = file("b", "signal");
    try (LockHolder _ = LockHolder.start(file("a", "signal"), "-x").awaitLocked()) {
      for (String signal : List.of("INT", "KILL")) {
        try (LockHolder waiter = LockHolder.start(b, "-x")) {
          Thread.sleep(500);
          assertFalse(waiter.isLocked());
          waiter.signal(signal);
          assertTrue(waiter.endsSoon(), "SIG" + signal);
        }
      }
    }
    Await.until("nobody waits or holds any more", () -> tryFlock("-x", b) == 0);
  }

  private static int tryFlock(String kind, Path file) throws IOException, InterruptedException {
    return Shell.run(Path.of("/"), Map.of(), List.of("flock", kind, "-n", file.toString(), "true"))
        .exit();
  }

  /** The path on this worker's mount of a lock file that exists on both mounts. */
  private static Path file(String worker, String name) throws Exception {
    Path made = EXTENSION.mount("a").resolve("lock-" + name);
    if (!Files.exists(made)) {
      Files.createFile(made);
    }
    Path file = EXTENSION.mount(worker).resolve("lock-" + name);
    Await.until(file + " is there", () -> Files.exists(file));
    return file;
  }

  private static FileChannel open(String worker, String name) throws Exception {
    return FileChannel.open(file(worker, name), StandardOpenOption.READ, StandardOpenOption.WRITE);
  }
}
