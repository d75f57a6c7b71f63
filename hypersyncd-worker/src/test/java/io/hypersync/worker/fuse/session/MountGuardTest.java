package io.hypersync.worker.fuse.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.worker.fuse.dev.FuseMount;
import io.hypersync.worker.fuse.dev.FuseMountOptions;
import io.hypersync.worker.fuse.dev.MountGuard;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.fuse.protocol.FuseRequest;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A daemon is killed while the kernel, on its behalf, waits for a call that waits for the daemon.
 * Needs root and /dev/fuse: fails without them.
 */
@Timeout(60)
class MountGuardTest {
  private static final long ROOT = 1;
  private static final int END_LIMIT_S = 20;
  private static final String UNINTERRUPTIBLE = "D";

  /** Ends its first thread while another one goes on, as one that dies does for a moment. */
  private static final String FIRST_THREAD_ENDS =
      """
      import ctypes, platform, threading, time
      exit_thread = {'x86_64': 60}.get(platform.machine(), 93)
      threading.Thread(target=time.sleep, args=(60,)).start()
      print('ending', flush=True)
      ctypes.CDLL(None).syscall(exit_thread, 0)
      """;

  @TempDir Path temp;

  private final List<Process> started = new ArrayList<>();
  private Path point;

  @AfterEach
  void clearAway() throws Exception {
    run("umount", "-f", "-l", point.toString());
    for (Process process : started) {
      process.destroyForcibly();
      assertTrue(process.waitFor(END_LIMIT_S, TimeUnit.SECONDS), process + " does not end");
    }
  }

  @Test
  void callersOfADaemonThatWasKilledAndCannotEndAreFreed() throws Exception {
    point = Files.createDirectory(temp.toRealPath().resolve("mnt"));
    Process daemon =
        start(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            SilentDaemon.class.getName(),
            point.toString());
    awaitSaying(daemon, "mounted");
    Process caller = start("stat", point.resolve("name").toString());
    awaitSaying(daemon, "asked for a name");
    awaitThreadIn(daemon, UNINTERRUPTIBLE);

    daemon.destroyForcibly();

    assertTrue(daemon.waitFor(END_LIMIT_S, TimeUnit.SECONDS), "the daemon ends");
    assertTrue(caller.waitFor(END_LIMIT_S, TimeUnit.SECONDS), "its caller gets an answer");
    String said = new String(caller.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(said.contains("not connected") || said.contains("connection abort"), said);
  }

  /** Without the mount its users would write into the folder below, where nobody looks. */
  @Test
  void theMountOfADaemonThatIsSlowToEndStaysWhereItIs() throws Exception {
    point = Files.createDirectory(temp.toRealPath().resolve("mnt"));
    FuseMount mount = FuseMount.mount(point, FuseMountOptions.workspace("dying"));
    FuseSession session = FuseSession.connect(mount, FuseSessionOptions.defaults());
    session.serve(new MemoryHandler(0, TimeUnit.SECONDS));
    try (session) {
      Process dying = start("python3", "-c", FIRST_THREAD_ENDS);
      awaitSaying(dying, "ending");
      try (var _ = MountGuard.start(dying.pid(), mount.device().getAsLong(), point)) {
        String said = run("stat", point.resolve("name").toString());
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(END_LIMIT_S);
        while (!said.contains("not connected") && System.nanoTime() - deadlineNs < 0) {
          assertTrue(isMounted(), "its mount is gone; stat said " + said);
          Thread.sleep(10);
          said = run("stat", point.resolve("name").toString());
        }
        assertTrue(said.contains("not connected"), said);
        assertTrue(isMounted(), "its mount is gone");
      }
    }
  }

  private boolean isMounted() throws IOException {
    return Files.readString(Path.of("/proc/self/mountinfo")).contains(" / " + point + " ");
  }

  /** Its outputs are ours to read: one that is left behind must not hold those of the tests. */
  private Process start(String... command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("LC_ALL", "C");
    Process process = builder.start();
    started.add(process);
    return process;
  }

  private static void awaitSaying(Process process, String line) throws IOException {
    BufferedReader said = process.inputReader(StandardCharsets.UTF_8);
    String next = said.readLine();
    while (next != null && !next.equals(line)) {
      next = said.readLine();
    }
    assertEquals(line, next);
  }

  private static void awaitThreadIn(Process daemon, String state)
      throws IOException, InterruptedException {
    Path threads = Path.of("/proc", Long.toString(daemon.pid()), "task");
    while (true) {
      try (Stream<Path> all = Files.list(threads)) {
        for (Path thread : all.toList()) {
          String stat = Files.readString(thread.resolve("stat"));
          if (stat.substring(stat.lastIndexOf(')') + 2).startsWith(state)) {
            return;
          }
        }
      }
      Thread.sleep(10);
    }
  }

  private static String run(String... command) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("LC_ALL", "C");
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(END_LIMIT_S, TimeUnit.SECONDS), command[0] + " does not end");
    return said;
  }

  /** Answers no LOOKUP, and has the kernel forget another name when the first one comes. */
  static final class SilentDaemon implements FuseHandler {
    private final MemoryHandler files = new MemoryHandler(0, TimeUnit.SECONDS);
    private final FuseSession session;

    private SilentDaemon(FuseSession session) {
      this.session = session;
    }

    public static void main(String[] args) throws Exception {
      FuseMount mount = FuseMount.mount(Path.of(args[0]), FuseMountOptions.workspace("silent"));
      FuseSession session = FuseSession.connect(mount, FuseSessionOptions.defaults());
      var _ =
          MountGuard.start(
              ProcessHandle.current().pid(), mount.device().getAsLong(), mount.mountPoint());
      session.serve(new SilentDaemon(session));
      System.out.println("mounted");
      Thread.currentThread().join();
    }

    @Override
    public void handle(FuseRequest request, FuseReply reply) {
      if (request.operation() instanceof FuseOperation.Lookup) {
        System.out.println("asked for a name");
        Thread.ofPlatform().start(this::forget);
      } else {
        files.handle(request, reply);
      }
    }

    @Override
    public void interrupted(long unique, int pid) {
      files.interrupted(unique, pid);
    }

    private void forget() {
      try {
        var _ =
            session.notifier().invalidateEntry(ROOT, "another".getBytes(StandardCharsets.US_ASCII));
      } catch (IOException e) {
        System.out.println("the kernel refuses: " + e);
      }
    }
  }
}
