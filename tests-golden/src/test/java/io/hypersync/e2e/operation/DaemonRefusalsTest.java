package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.cli.config.HostPort;
import io.hypersync.cli.demo.LeaderPort;
import io.hypersync.cli.workspace.NewIds;
import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.cli.workspace.WorkspaceName;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.ChildJvm;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import io.hypersync.model.id.WorkerId;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What daemons and commands refuse, and what they print. */
@RealMounts
class DaemonRefusalsTest {
  private static final long SEED = 6;
  private static final int DATAGRAMS = 3000;

  @RegisterExtension static final TestClusterExtension CLUSTER = TestClusterExtension.ofOneClass();

  @Test
  void aSecondLeaderOfTheSameStateDirectory() throws Exception {
    TestCluster cluster = CLUSTER.get();
    Shell second;
    try (LeaderPort another = LeaderPort.reserve()) {
      second =
          Shell.run(
              cluster.root(),
              ChildJvm.environment(cluster.root().resolve("another-run-dir")),
              ChildJvm.command(
                  List.of(
                      "leader",
                      "--dir",
                      cluster.workspace().root().toString(),
                      "--bind",
                      another.address().toString())));
    }
    refused(
        second,
        1,
        "the state directory "
            + cluster.workspace().stateDir()
            + " is in use by the leader of e2e, pid "
            + cluster.leader().pid(),
        "Stop that process first");
  }

  @Test
  void aPortThatIsTaken() throws Exception {
    TestCluster cluster = CLUSTER.get();
    WorkspaceDirectory other = otherWorkspace("port");
    refused(
        cluster.hypersync("leader", "--dir", other.root().toString()),
        1,
        "127.0.0.1:" + cluster.address().port(),
        "another program holds the port");
  }

  @Test
  void aMountPointThatIsTaken() throws Exception {
    TestCluster cluster = CLUSTER.get();
    List<String> arguments = new ArrayList<>(cluster.workerArguments("c"));
    arguments.set(arguments.indexOf("--mount") + 1, cluster.mount("a").toString());
    refused(
        cluster.hypersync(arguments),
        1,
        "a workspace is mounted at " + cluster.mount("a") + " already",
        "./hypersync umount " + cluster.mount("a"));
    assertTrue(cluster.worker("a").isAlive(), "the worker of the mount");
  }

  /**
   * The mount point is checked before the worker joins, which can take long: this test has no
   * leader at all.
   */
  @Test
  void aMountPointThatIsNotEmpty() throws Exception {
    TestCluster cluster = CLUSTER.get();
    Files.createDirectories(cluster.mount("full"));
    Files.writeString(cluster.mount("full").resolve("precious"), "mine");
    try (LeaderPort nobody = LeaderPort.reserve()) {
      List<String> arguments = new ArrayList<>(cluster.workerArguments("full"));
      arguments.addAll(List.of("--leader-address", nobody.address().toString()));
      refused(cluster.hypersync(arguments), 1, cluster.mount("full") + " is not empty", "precious");
    }
    assertEquals("mine", Files.readString(cluster.mount("full").resolve("precious")));
  }

  @Test
  void aStateDirectoryWhereNothingCanBeKept() throws Exception {
    TestCluster cluster = CLUSTER.get();
    refused(
        cluster.hypersync(
            "leader",
            "--dir",
            otherWorkspace("nowhere").root().toString(),
            "--state-dir",
            "/proc/hypersync"),
        1,
        "the state directory /proc/hypersync cannot be on proc",
        "--state-dir <dir>");
  }

  @Test
  void anUnmountThatWouldHurtSomebody() throws Exception {
    TestCluster cluster = CLUSTER.get();
    Process user =
        new ProcessBuilder("sleep", "300").directory(cluster.mount("b").toFile()).start();
    try {
      refused(
          cluster.hypersync("umount", cluster.mount("b").toString()),
          1,
          cluster.mount("b") + " is in use by 1 process",
          "process " + user.pid() + " (sleep) works in " + cluster.mount("b"),
          "--force");
    } finally {
      user.destroyForcibly().waitFor();
    }
  }

  @Test
  void aTokenOfAnotherWorkspace() throws Exception {
    TestCluster cluster = CLUSTER.get();
    WorkspaceDirectory other = otherWorkspace("stranger");
    WorkerId id = new WorkerId("stranger");
    other.writeToken(id, cluster.address(), other.tokenFile(id));
    long before = cluster.leader().status().path("commit_index").asLong();
    refused(
        cluster.hypersync(
            "worker",
            "--token",
            other.tokenFile(id).toString(),
            "--mount",
            cluster.mount("stranger").toString(),
            "--state-dir",
            cluster.stateDir("stranger").toString()),
        1,
        "the leader does not accept this worker",
        "The token is for workspace " + other.id(),
        "of workspace " + cluster.workspace().id(),
        "--leader-address",
        "./hypersync token stranger");
    assertEquals(before, cluster.leader().status().path("commit_index").asLong(), "the log");
  }

  @Test
  void whatIsInTheWayIsSaidWithoutNamesOfClasses() throws Exception {
    TestCluster cluster = CLUSTER.get();
    Path file = Files.writeString(cluster.root().resolve("a-file"), "");
    for (Path mount : List.of(file, Path.of("/proc/hypersync"), file.resolve("below"))) {
      List<String> arguments = new ArrayList<>(cluster.workerArguments("in-the-way"));
      arguments.set(arguments.indexOf("--mount") + 1, mount.toString());
      Shell shell = cluster.hypersync(arguments);
      assertTrue(shell.exit() != 0, shell.output());
      assertTrue(shell.output().contains(mount.toString()), shell.output());
      assertTrue(!shell.output().contains("Exception"), shell.output());
    }
  }

  @Test
  void aSettingThatIsMisspelt() throws Exception {
    TestCluster cluster = CLUSTER.get();
    refused(
        cluster.hypersync(
            "leader",
            "--dir",
            cluster.workspace().root().toString(),
            "--set",
            "hypersync.leader.batch_max_op=3"),
        2,
        "hypersync.leader.batch_max_op",
        "batch_max_ops");
    Path config = cluster.root().resolve("misspelt.toml");
    Files.writeString(config, "[hypersync.worker]\nleader_stael = \"1s\"\n");
    List<String> arguments = new ArrayList<>(cluster.workerArguments("d"));
    arguments.addAll(List.of("--config", config.toString()));
    refused(cluster.hypersync(arguments), 2, config.toString(), "leader_stael", "leader_stale");
  }

  @Test
  void garbageOnTheLeadersPortHarmsNobody() throws Exception {
    TestCluster cluster = CLUSTER.get();
    Path onA = cluster.mount("a").resolve("under-fire");
    Path onB = cluster.mount("b").resolve("under-fire");
    JsonNode before = cluster.leader().status();
    try (DatagramSocket socket = new DatagramSocket()) {
      InetSocketAddress leader =
          new InetSocketAddress(cluster.address().host(), cluster.address().port());
      Random random = new Random(SEED);
      for (int i = 0; i < DATAGRAMS; i++) {
        byte[] bytes = garbage(random, i);
        socket.send(new DatagramPacket(bytes, bytes.length, leader));
        if (i % (DATAGRAMS / 10) == 0) {
          String text = "datagram " + i;
          Files.writeString(onA, text);
          Await.same("on B", text, () -> Files.readString(onB));
        }
      }
    }
    JsonNode after = cluster.leader().status();
    assertEquals(before.path("leader_epoch"), after.path("leader_epoch"), "no restart");
    assertEquals(
        addresses(before), addresses(after), "the same sessions: nobody had to connect anew");
    cluster.assertSameRoots("a", "b");
  }

  /**
   * Random bytes, a third of them beginning like QUIC packets: long header, version 1 or unknown,
   * lengths.
   */
  private static byte[] garbage(Random random, int i) {
    byte[] bytes = new byte[i % 3 == 0 ? 1200 : 1 + random.nextInt(1400)];
    random.nextBytes(bytes);
    if (i % 3 == 0) {
      bytes[0] = (byte) (0xC0 | random.nextInt(64));
      Arrays.fill(bytes, 1, 4, (byte) 0);
      bytes[4] = (byte) (i % 2);
      bytes[5] = (byte) random.nextInt(32);
    }
    return bytes;
  }

  private static List<String> addresses(JsonNode status) {
    return status
        .path("workers")
        .valueStream()
        .map(worker -> worker.path("worker_id").asText() + "@" + worker.path("address").asText())
        .sorted()
        .toList();
  }

  private static WorkspaceDirectory otherWorkspace(String name) throws IOException {
    TestCluster cluster = CLUSTER.get();
    return WorkspaceDirectory.create(
        cluster.root().resolve("other-" + name),
        NewIds.workspace(),
        new WorkspaceName(name),
        Instant.now(),
        WorkspaceDirectory.saying(new HostPort("127.0.0.1", cluster.address().port())));
  }

  private static void refused(Shell shell, int exit, String... said) {
    assertEquals(exit, shell.exit(), shell.output());
    for (String part : said) {
      assertTrue(
          shell.output().contains(part), () -> "not said: " + part + "\nbut:\n" + shell.output());
    }
    assertTrue(!shell.output().contains("\tat "), () -> "a stack trace:\n" + shell.output());
  }
}
