package io.hypersync.worker.fuse.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.id.InodeNo;
import io.hypersync.worker.fuse.dev.FuseMount;
import io.hypersync.worker.fuse.dev.FuseMountOptions;
import io.hypersync.worker.fuse.dev.MountGuard;
import io.hypersync.worker.fuse.dev.MountTable;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.fuse.protocol.FuseRequest;
import io.hypersync.worker.fuse.protocol.RequestId;
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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A daemon is killed and cannot end: a thread of it waits in the kernel for a call, and that call
 * waits for the daemon. Its connection is aborted, and no other one is. Needs root and /dev/fuse:
 * fails without them.
 */
@Timeout(60)
@Tag("mount")
class MountGuardTest {
  private static final InodeNo ROOT = InodeNo.ROOT;
  private static final int END_LIMIT_S = 20;

  /** Longer than two rounds of the guard, which checks once a second. */
  private static final int GUARD_LOOKS_AGAIN_MS = 2_500;

  private static final String UNINTERRUPTIBLE = "D";

  /** Ends its first thread while another one goes on, like a process that is ending. */
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

  /** The mount point's name has a character that mountinfo escapes. */
  @BeforeEach
  void makeMountPoint() throws IOException {
    point = Files.createDirectory(temp.toRealPath().resolve("a\\ mount"));
  }

  @AfterEach
  void clearAway() throws Exception {
    while (!mounts().isEmpty()) {
      run("umount", "-f", "-l", mounts().getLast().point());
    }
    for (Process process : started) {
      process.destroyForcibly();
      assertTrue(process.waitFor(END_LIMIT_S, TimeUnit.SECONDS), process + " does not end");
    }
  }

  @Test
  void callersOfADaemonThatWasKilledAndCannotEndAreFreed() throws Exception {
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
    assertTrue(isAbort(said), said);
  }

  /** Without the mount, users of the workspace would write into the directory below, unnoticed. */
  @ParameterizedTest(name = "the kernel lists its connections: {0}")
  @ValueSource(booleans = {false, true})
  void theMountOfADaemonThatIsSlowToEndStaysWhereItIs(boolean connectionsAreListed)
      throws Exception {
    Path connections = connections(connectionsAreListed);
    Process dying = processWhoseFirstThreadHasEnded();
    FuseMount mount = FuseMount.mount(point, FuseMountOptions.workspace("dying"));
    try (var _ = serve(mount);
        var _ = guard(dying, mount, connections)) {
      awaitAbort();
      Thread.sleep(GUARD_LOOKS_AGAIN_MS);
      assertTrue(isMounted(), "its mount is gone");
    }
  }

  /** The number of a connection is used again for the next mount once its own mount is gone. */
  @ParameterizedTest(name = "the kernel lists its connections: {0}")
  @ValueSource(booleans = {false, true})
  void theNextMountInTheSamePlaceIsLeftAlone(boolean connectionsAreListed) throws Exception {
    Path connections = connections(connectionsAreListed);
    Process dying = processWhoseFirstThreadHasEnded();
    FuseMount mount = FuseMount.mount(point, FuseMountOptions.workspace("dying"));
    FuseSession session = serve(mount);
    try (var _ = guard(dying, mount, connections)) {
      awaitAbort();
      session.close();
      FuseMount next = FuseMount.mount(point, FuseMountOptions.workspace("next"));
      assertEquals(mount.device(), next.device(), "this test is about the same number");
      try (var _ = serve(next)) {
        Thread.sleep(GUARD_LOOKS_AGAIN_MS);
        assertTrue(isAnswered(), "another daemon's connection is aborted");
      }
    }
  }

  /**
   * A dead mount that is hidden by another one is aborted as well, where connections are listed.
   */
  @ParameterizedTest(name = "the kernel lists its connections: {0}")
  @ValueSource(booleans = {false, true})
  void whatIsMountedOverADeadMountIsLeftAlone(boolean connectionsAreListed) throws Exception {
    Path connections = connections(connectionsAreListed);
    Process dying = processWhoseFirstThreadHasEnded();
    FuseMount mount = FuseMount.mount(point, FuseMountOptions.workspace("dying"));
    try (var _ = serve(mount)) {
      assertEquals("", run("mount", "-t", "tmpfs", "over-it", point.toString()));
      try (var _ = guard(dying, mount, connections)) {
        Files.createFile(point.resolve("name"));
        Thread.sleep(GUARD_LOOKS_AGAIN_MS);
        assertTrue(Files.exists(point.resolve("name")), "what is over it is gone");
        assertEquals("", run("umount", point.toString()));
        if (connectionsAreListed) {
          assertFalse(isAnswered(), "it was not aborted while it was hidden");
        } else {
          awaitAbort();
        }
      }
    }
  }

  private static FuseSession serve(FuseMount mount) throws IOException {
    FuseSession session = FuseSession.connect(mount, FuseSessionOptions.defaults());
    session.serve(new MemoryHandler(0, TimeUnit.SECONDS));
    return session;
  }

  private MountGuard guard(Process daemon, FuseMount mount, Path connections) throws IOException {
    return MountGuard.start(daemon.pid(), mount.device().getAsLong(), point, connections);
  }

  /** The directory with the kernel's connections, or an empty one. */
  private Path connections(boolean listed) throws IOException, InterruptedException {
    Path connections = Files.createDirectory(temp.toRealPath().resolve("connections"));
    if (listed) {
      assertEquals("", run("mount", "-t", "fusectl", "none", connections.toString()));
    }
    return connections;
  }

  private Process processWhoseFirstThreadHasEnded() throws IOException {
    Process process = start("python3", "-c", FIRST_THREAD_ENDS);
    awaitSaying(process, "ending");
    return process;
  }

  private void awaitAbort() throws IOException, InterruptedException {
    long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(END_LIMIT_S);
    while (isAnswered()) {
      assertTrue(System.nanoTime() - deadlineNs < 0, "its connection is not aborted");
      assertTrue(isMounted(), "its mount is gone");
      Thread.sleep(10);
    }
  }

  /** Whether a daemon answers a lookup, with ENOENT. */
  private boolean isAnswered() throws IOException, InterruptedException {
    String said = run("stat", point.resolve("name").toString());
    assertTrue(said.contains("No such file") || isAbort(said), said);
    return said.contains("No such file");
  }

  private static boolean isAbort(String said) {
    return said.contains("not connected") || said.contains("connection abort");
  }

  private boolean isMounted() throws IOException {
    return mounts().stream().anyMatch(mount -> mount.point().equals(point.toString()));
  }

  /** The mounts in this test's directory, read without a request to them. */
  private List<MountTable.Mount> mounts() throws IOException {
    String folder = temp.toRealPath() + "/";
    return MountTable.read().mounts().stream()
        .filter(mount -> mount.point().startsWith(folder))
        .toList();
  }

  /**
   * Its output is a pipe of this process: a process left behind must not keep the tests' output
   * open.
   */
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

  /** Answers no LOOKUP, and invalidates another name when the first one arrives. */
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
    public void interrupted(RequestId unique, int pid) {
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
