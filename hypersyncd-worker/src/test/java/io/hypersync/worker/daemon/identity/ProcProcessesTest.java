package io.hypersync.worker.daemon.identity;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.worker.identity.ProcessTable.PlainFile;
import io.hypersync.worker.identity.ProcessTable.Status;
import io.hypersync.worker.identity.ProcessTable.Watch;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is read of real processes and files. */
@Timeout(30)
final class ProcProcessesTest {
  private static final String SAYS_READY = "echo ready; read line; ";

  @TempDir Path directory;
  private final ProcProcesses processes = new ProcProcesses();

  private static Process ready(ProcessBuilder builder) throws Exception {
    Process process = builder.redirectErrorStream(true).start();
    assertEquals("ready", process.inputReader().readLine());
    return process;
  }

  private static Process ready(String script) throws Exception {
    return ready(new ProcessBuilder("sh", "-c", script));
  }

  private static void goOn(Process process) throws Exception {
    process.outputWriter().write("go\n");
    process.outputWriter().flush();
  }

  private static int tid(Process process) {
    return (int) process.pid();
  }

  @Test
  void itsParentUserEnvironmentAndFolderAreRead() throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder("sh", "-c", SAYS_READY).directory(directory.toFile());
    builder.environment().clear();
    builder.environment().put("AGENT_NAME", "Lake");
    Process process = ready(builder);
    try {
      Status status = Objects.requireNonNull(processes.status(tid(process)));
      assertEquals(tid(process), status.process());
      assertEquals(ProcessHandle.current().pid(), status.parent());
      assertEquals(
          Files.getAttribute(Path.of("/proc/self"), "unix:uid", LinkOption.NOFOLLOW_LINKS),
          status.uid());
      String environment = new String(processes.environment(tid(process)), StandardCharsets.UTF_8);
      assertTrue(environment.contains("AGENT_NAME=Lake\0"), environment);
      assertEquals(directory.toRealPath().toString(), processes.workingDirectory(tid(process)));
    } finally {
      process.destroyForcibly().waitFor();
    }
    assertNull(processes.status(tid(process)));
    assertEquals(0, processes.environment(tid(process)).length);
    assertEquals("", processes.workingDirectory(tid(process)));
    assertNull(processes.watch(tid(process)));
  }

  @Test
  void aThreadIsOfItsProcess() throws Exception {
    int me = (int) ProcessHandle.current().pid();
    for (String tid : Objects.requireNonNull(Path.of("/proc/self/task").toFile().list())) {
      assertEquals(me, Objects.requireNonNull(processes.status(Integer.parseInt(tid))).process());
    }
  }

  @Test
  void aWatchSeesExec() throws Exception {
    Process process = ready(SAYS_READY + "exec sh -c '" + SAYS_READY + "'");
    try {
      Watch watch = Objects.requireNonNull(processes.watch(tid(process)));
      assertTrue(watch.isUnchanged());
      assertTrue(watch.seesExec());
      goOn(process);
      assertEquals("ready", process.inputReader().readLine());
      assertFalse(watch.isUnchanged());
      watch.close();
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  @Test
  void aWatchSeesTheEnd() throws Exception {
    Process process = ready(SAYS_READY);
    Watch watch = Objects.requireNonNull(processes.watch(tid(process)));
    assertTrue(watch.isUnchanged());
    process.destroyForcibly().waitFor();
    assertFalse(watch.isUnchanged());
    watch.close();
  }

  /** The process goes on, and another thread may get the number. */
  @Test
  void aWatchSeesTheEndOfASingleThread() throws Exception {
    CountDownLatch done = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    AtomicInteger tid = new AtomicInteger();
    Thread thread =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    tid.set(
                        Integer.parseInt(
                            Path.of("/proc/thread-self").toRealPath().getFileName().toString()));
                    begun.countDown();
                    done.await();
                  } catch (java.io.IOException | InterruptedException e) {
                    throw new AssertionError(e);
                  }
                });
    begun.await();
    Watch watch = Objects.requireNonNull(processes.watch(tid.get()));
    assertTrue(watch.isUnchanged());
    done.countDown();
    thread.join();
    while (Files.exists(Path.of("/proc/self/task/" + tid.get()))) {
      Thread.sleep(1); // join returns a moment before the kernel's thread has ended
    }
    assertFalse(watch.isUnchanged());
    watch.close();
  }

  @Test
  void aWatchThatIsClosedSaysNothing() {
    Watch watch = Objects.requireNonNull(processes.watch((int) ProcessHandle.current().pid()));
    assertTrue(watch.isUnchanged());
    watch.close();
    assertFalse(watch.isUnchanged());
    watch.close();
  }

  /** Its exec would not be noticed as long as its parent lives. */
  @Test
  void aChildThatSharesItsParentsMemoryIsNotWatched() throws Exception {
    Process parent =
        ready(
            new ProcessBuilder(
                "python3",
                "-c",
                """
                import ctypes, os, sys
                libc = ctypes.CDLL(None)
                # As in the child of vfork, nothing but C is safe there: it only waits.
                stack = ctypes.create_string_buffer(1 << 20)
                top = ctypes.c_void_p(ctypes.addressof(stack) + (1 << 20) - 64)
                pause = ctypes.cast(libc.pause, ctypes.c_void_p)
                CLONE_VM = 0x100
                got = libc.clone(pause, top, CLONE_VM | 17, None)
                assert got > 0
                open(sys.argv[1], 'w').write(str(got))
                print('ready', flush=True)
                sys.stdin.readline()
                os.kill(got, 9)
                os.waitpid(got, 0)
                """,
                directory.resolve("child").toString()));
    try {
      int child = Integer.parseInt(Files.readString(directory.resolve("child")));
      assertNotNull(processes.status(child));
      assertNull(processes.watch(child));
    } finally {
      goOn(parent);
      assertEquals(0, parent.waitFor());
    }
  }

  @Test
  void thePlainFileAtAPathIsRead() throws Exception {
    Path file = Files.writeString(directory.resolve("ä"), "Lake\n");
    Files.setLastModifiedTime(file, FileTime.fromMillis(1_800_000_000_123L));
    PlainFile read = Objects.requireNonNull(processes.file(bytes(file)));
    assertArrayEquals("Lake\n".getBytes(StandardCharsets.UTF_8), read.content());
    assertEquals(Files.getAttribute(file, "unix:uid"), read.owner());
    assertEquals(1_800_000_000, read.mtimeS());
  }

  private static String bytes(Path path) {
    return new String(
        path.toString().getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  @Test
  void onlyTheBeginningOfALongFileIsRead() throws Exception {
    Path file = Files.write(directory.resolve("long"), new byte[100_000]);
    assertEquals(4_096, Objects.requireNonNull(processes.file(bytes(file))).content().length);
  }

  @Test
  void whatIsNoPlainFileIsNotRead() throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "Lake\n");
    Path link = Files.createSymbolicLink(directory.resolve("link"), file);
    Path pipe = directory.resolve("pipe");
    assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
    assertNull(processes.file(bytes(link)));
    assertNull(processes.file(bytes(pipe)), "and nobody waits for somebody who writes to it");
    assertNull(processes.file(bytes(directory)));
    assertNull(processes.file("/dev/zero"));
    assertNull(processes.file(bytes(directory.resolve("none"))));
  }
}
