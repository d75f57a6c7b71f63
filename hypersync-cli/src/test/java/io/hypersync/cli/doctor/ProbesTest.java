package io.hypersync.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.daemons.Daemons;
import io.hypersync.runtime.admin.AdminServer;
import io.hypersync.runtime.admin.RunDirectory;
import io.hypersync.runtime.admin.StateLock;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is looked at of a process: this one plays a leader with a mount of its own. */
final class ProbesTest {
  /** More than the kernel gives to any process. */
  private static final long NOBODY = 1L << 30;

  @TempDir Path directory;

  private AdminServer daemon(String name, ObjectNode status) {
    return AdminServer.start(
        directory.resolve("run").resolve(name + ".sock"), Map.of("status", _ -> status));
  }

  private static ObjectNode status(String role, long pid) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("role", role)
        .put("workspace_name", "team")
        .put("pid", pid);
  }

  private Observed look() {
    return Probes.look(Daemons.in(new RunDirectory(directory.resolve("run"))), Map.of());
  }

  private List<Path> stateDirs(Observed observed) {
    return observed.processes().stream()
        .map(Observed.DaemonProcess::stateDir)
        .filter(each -> each.startsWith(directory))
        .toList();
  }

  /** Each question to it would leave a thread behind. */
  @Test
  void aDiskThatHangsIsNotAskedAgainUntilItAnswers() throws Exception {
    CountDownLatch answers = new CountDownLatch(1);
    AtomicInteger asked = new AtomicInteger();
    Callable<Integer> question =
        () -> {
          int number = asked.incrementAndGet();
          answers.await();
          return number;
        };
    for (int i = 0; i < 3; i++) {
      assertEquals(Optional.empty(), Probes.within(directory, question));
    }
    assertEquals(1, asked.get());
    assertEquals(Optional.of(7), Probes.within(directory.resolve("other"), () -> 7));
    answers.countDown();
    while (Probes.within(directory, question).isEmpty()) {
      Thread.sleep(1); // the first one is about to end
    }
    assertEquals(2, asked.get());
  }

  @Test
  void theStateOfALeaderAndThatOfItsMountAreLookedAt() throws Exception {
    long pid = ProcessHandle.current().pid();
    Path state = directory.resolve("team/state");
    Path mount = directory.resolve("team/mount");
    Path index = Files.createDirectories(state.resolve("chunks/index")).resolve("LOCK");
    try (StateLock _ = StateLock.acquire(state, "leader");
        FileChannel _ =
            FileChannel.open(index, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        StateLock _ = StateLock.acquire(mount, "worker");
        AdminServer _ = daemon("leader-0", status("leader", pid));
        AdminServer _ = daemon("worker-0-a", status("worker", pid).put("worker_id", "a"))) {
      Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
      Files.setPosixFilePermissions(state, PosixFilePermissions.fromString("rwx------"));
      Files.setPosixFilePermissions(mount, PosixFilePermissions.fromString("rwxr-xr-x"));
      Files.setPosixFilePermissions(
          directory.resolve("team"), PosixFilePermissions.fromString("rwxr-xr-x"));
      Observed observed = look();
      assertEquals(List.of(state, mount), stateDirs(observed), "each once, and no store in it");
      assertTrue(observed.readableByOthers().contains(mount), observed::toString);
      assertTrue(!observed.readableByOthers().contains(state), observed::toString);
      assertEquals(List.of(), observed.unseen());
      assertTrue(observed.processes().getFirst().openFilesLimit() > 0, observed::toString);
      assertTrue(observed.processes().getFirst().diskBytes() > 0, observed::toString);
    }
  }

  @Test
  void aProcessThatCannotBeLookedAtIsNamed() {
    try (AdminServer _ = daemon("leader-0", status("leader", NOBODY))) {
      assertEquals(
          List.of("leader team, process " + NOBODY + ": its disk, descriptors and secrets"),
          look().unseen());
    }
  }
}
