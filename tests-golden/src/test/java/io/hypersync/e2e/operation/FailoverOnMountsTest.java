package io.hypersync.e2e.operation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.cli.config.HostPort;
import io.hypersync.cli.demo.LeaderPort;
import io.hypersync.coordination.cas.file.FileCasStore;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.ChildJvm;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.model.id.WorkerId;
import io.hypersync.runtime.admin.AdminClient;
import io.hypersync.runtime.admin.RunDirectory;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.text.ShellWords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Two hosts, each with the script of {@code hypersync failover} under a process mutex, and two
 * mounts: whichever host leads is lost, by turns killed and stopped; the other one leads, and the
 * first one follows it. A host is a run directory, a state directory and an address.
 */
@RealMounts
class FailoverOnMountsTest {
  private static final int FAILOVERS = Integer.getInteger("hypersync.tests.failovers", 2);
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(10);

  /** One host that may lead. */
  private static final class Host implements AutoCloseable {
    private final TestCluster cluster;
    private final WorkerId name;
    private final RunDirectory run;
    private final Path folder;
    private final Process agent;

    Host(
        TestCluster cluster,
        String name,
        String other,
        HostPort at,
        List<HostPort> all,
        Path state,
        Path locks)
        throws Exception {
      this.cluster = cluster;
      this.name = new WorkerId(name);
      this.run = new RunDirectory(cluster.root().resolve("run-" + name));
      this.folder = cluster.root().resolve("member-" + name);
      Path token = cluster.root().resolve(name + ".token");
      cluster.workspace().writeToken(this.name, all, token);
      Path command = cluster.root().resolve("hypersync-" + name);
      Files.writeString(
          command,
          "#!/bin/bash\nexec " + ShellWords.line(ChildJvm.command(List.of())) + " \"$@\"\n");
      Files.setPosixFilePermissions(command, PosixFilePermissions.fromString("rwx------"));
      Shell.run(
              cluster.root(),
              ChildJvm.environment(cluster.runDirectory()),
              ChildJvm.command(
                  List.of(
                      "failover",
                      "--dir",
                      cluster.workspace().root().toString(),
                      "--state-dir",
                      state.toString(),
                      "--token",
                      token.toString(),
                      "--store",
                      "file:" + locks,
                      "--out",
                      folder.toString(),
                      // A health check starts a process, which takes seconds on a busy machine.
                      "-R",
                      "4000",
                      "-F",
                      "6",
                      "-C",
                      "2",
                      "--command",
                      command.toString(),
                      "--",
                      "--bind",
                      at.toString(),
                      "--set",
                      "hypersync.leader.sync_standby=1",
                      "--set",
                      "hypersync.leader.standbys=" + other,
                      "--set",
                      "hypersync.practice=0s")))
          .orFail("hypersync failover");
      if (Files.isDirectory(state)) {
        Shell.must(folder, script(), "again"); // nobody has led it yet
      }
      ProcessBuilder builder =
          new ProcessBuilder(script(), "run")
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("putex.log").toFile());
      builder.environment().put("HYPERSYNC_RUN_DIR", run.path().toString());
      this.agent = builder.start();
    }

    private String script() {
      return folder.resolve("member").toString();
    }

    JsonNode leader() {
      return ask(run.leaderSocket(cluster.workspace().id()));
    }

    JsonNode standby() {
      return ask(run.standbySocket(cluster.workspace().id(), name));
    }

    private static JsonNode ask(Path socket) {
      return Files.exists(socket)
              && new AdminClient(socket, ANSWER_LIMIT).ask("status")
                  instanceof AdminClient.Reply.Result(var status)
          ? status
          : JsonNodeFactory.instance.objectNode();
    }

    boolean leads() {
      return leader().path("role").asText().equals("leader");
    }

    /** Sends a signal to the leader of this host, and to nothing else. */
    void signalLeader(String signal) throws Exception {
      String pid = Files.readString(folder.resolve("leader.pid")).strip();
      Shell.must(folder, "kill", "-" + signal, pid);
    }

    String logs() throws IOException {
      StringBuilder all = new StringBuilder();
      for (String log : List.of("putex.log", "leader.log", "standby.log")) {
        Path file = folder.resolve(log);
        if (Files.exists(file)) {
          List<String> lines = Files.readAllLines(file);
          all.append("== ").append(name).append(' ').append(log).append('\n');
          lines
              .subList(Math.max(0, lines.size() - 40), lines.size())
              .forEach(line -> all.append(line).append('\n'));
        }
      }
      return all.toString();
    }

    @Override
    public void close() throws IOException {
      try {
        agent.destroy();
        if (!agent.waitFor(60, TimeUnit.SECONDS)) {
          agent.destroyForcibly().waitFor();
        }
        Shell.run(folder, Map.of(), List.of(script(), "end")).orFail("end the roles");
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException(e);
      }
    }
  }

  @Test
  void whicheverHostLeadsIsLostAndTheOtherOneGoesOn() throws Exception {
    try (TestCluster cluster = TestCluster.create(TestCluster.PROMPT);
        LeaderPort port = LeaderPort.reserve()) {
      List<HostPort> all = List.of(cluster.address(), port.address());
      Path locks = Files.createDirectory(cluster.root().resolve("locks"));
      // As at the end of an agent: else the first one waits, as somebody may run.
      var _ = new FileCasStore(locks, Clock.SYSTEM).create("e2e", new byte[0]);
      Path stateB = cluster.root().resolve("state-host-b");
      Host first =
          new Host(
              cluster, "host-a", "host-b", all.get(0), all, cluster.workspace().stateDir(), locks);
      try (first) {
        Await.until("host-a leads", first::leads);
        try (Host second = new Host(cluster, "host-b", "host-a", all.get(1), all, stateB, locks)) {
          failOver(cluster, all, first, second);
        }
      } catch (AssertionError e) {
        throw new AssertionError(first.logs(), e);
      }
    }
  }

  private static void failOver(TestCluster cluster, List<HostPort> all, Host first, Host second)
      throws Exception {
    for (String mount : List.of("a", "b")) {
      cluster.putSettings(
          mount,
          "hypersync.worker.leader_address=" + all.get(0) + "," + all.get(1),
          "hypersync.worker.partition_grace=5m",
          "hypersync.worker.mutation_deadline=5m");
      cluster.launchWorker(mount);
    }
    for (String mount : List.of("a", "b")) {
      cluster
          .worker(mount)
          .await("be writable", status -> !status.path("read_only").asBoolean(true));
    }
    List<Long> gapsMs = new ArrayList<>();
    long files = 0;
    long term = 0;
    try {
      for (int round = 0; round < FAILOVERS; round++) {
        Host lost = round % 2 == 0 ? first : second;
        Host next = round % 2 == 0 ? second : first;
        Await.until("the standby is waited for", () -> waitsFor(lost, "synchronous"));
        List<Writer> writers = new ArrayList<>();
        for (String mount : List.of("a", "b")) {
          writers.add(new Writer(cluster.mount(mount), round + "-" + mount + "-"));
        }
        try {
          Await.until("much was written", () -> haveWrittenMuch(writers));
          lost.signalLeader(round % 2 == 0 ? "KILL" : "STOP");
          Await.until("another one leads", next::leads);
          writers.forEach(Writer::begin);
          Await.until("they go on", () -> haveWrittenMuch(writers));
        } finally {
          writers.forEach(Writer::end);
        }
        long now = next.leader().path("term").asLong();
        assertTrue(now > term, "term " + now + " after " + term);
        term = now;
        Await.until("the one that was lost follows", () -> follows(lost));
        for (Writer writer : writers) {
          gapsMs.add(writer.longestMs());
          for (String name : writer.written()) {
            for (String mount : List.of("a", "b")) {
              Path path = cluster.mount(mount).resolve(name);
              Await.until(name + " is on " + mount, () -> Files.exists(path));
              assertEquals(name, Files.readString(path), mount);
            }
          }
          files += writer.written().size();
        }
      }
    } catch (AssertionError e) {
      throw new AssertionError(second.logs(), e);
    }
    Collections.sort(gapsMs);
    System.out.printf(
        "%d failovers, %d files written: the longest call p50 %d ms, p99 %d ms%n",
        FAILOVERS,
        files,
        gapsMs.get(gapsMs.size() / 2),
        gapsMs.get((gapsMs.size() * 99 + 99) / 100 - 1));
    for (String mount : List.of("a", "b")) {
      try (Stream<Path> there = Files.list(cluster.mount(mount))) {
        assertEquals(files, there.count(), "each call has made one file");
      }
    }
  }

  /** Makes one file after the other, through a failover: no call fails. */
  private static final class Writer {
    private static final int MUCH = 20;

    private final Path mount;
    private final String prefix;
    private final List<String> written = Collections.synchronizedList(new ArrayList<>());
    private final FutureTask<Long> task = new FutureTask<>(this::write);
    private volatile int before;
    private volatile boolean isOver;

    Writer(Path mount, String prefix) {
      this.mount = mount;
      this.prefix = prefix;
      Thread.ofPlatform().daemon().start(task);
    }

    /** Returns the longest time that one of them took, in nanoseconds. */
    private long write() throws IOException {
      long longestNs = 0;
      for (int i = 0; !isOver; i++) {
        String name = prefix + i;
        long beganNs = System.nanoTime();
        Files.write(mount.resolve(name), name.getBytes(UTF_8));
        longestNs = Math.max(longestNs, System.nanoTime() - beganNs);
        written.add(name);
      }
      return longestNs;
    }

    /** Counts anew. */
    void begin() {
      before = written.size();
    }

    boolean hasWrittenMuch() throws IOException {
      if (task.isDone()) {
        longestMs(); // tells why it has ended
      }
      return written.size() - before >= MUCH;
    }

    void end() {
      isOver = true;
    }

    List<String> written() {
      return List.copyOf(written);
    }

    long longestMs() throws IOException {
      try {
        return task.get(4, TimeUnit.MINUTES) / 1_000_000;
      } catch (ExecutionException e) {
        throw new IOException("a call has failed after " + written.size(), e.getCause());
      } catch (InterruptedException | TimeoutException e) {
        throw new IOException("a call has not returned", e);
      }
    }
  }

  private static boolean haveWrittenMuch(List<Writer> writers) throws IOException {
    for (Writer writer : writers) {
      if (!writer.hasWrittenMuch()) {
        return false;
      }
    }
    return true;
  }

  private static boolean waitsFor(Host leader, String state) {
    return leader
        .leader()
        .path("sync_standby")
        .path("standbys")
        .path(0)
        .path("state")
        .asText()
        .equals(state);
  }

  private static boolean follows(Host lost) {
    JsonNode standby = lost.standby();
    return standby.path("complete").asBoolean() && !standby.path("rejoining").asBoolean(true);
  }
}
