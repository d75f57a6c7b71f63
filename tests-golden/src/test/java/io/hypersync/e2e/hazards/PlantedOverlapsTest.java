package io.hypersync.e2e.hazards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.LongVersion;
import io.hypersync.e2e.harness.PythonProcess;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.TestCluster;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

/**
 * Many agents on three workers, each with work of its own, and now and then one that writes what
 * another one has just written: exactly these are told. {@code -Dhypersync.hazards.agents=70
 * -Dhypersync.hazards.seconds=600} is the long version. Prints what finding names and hazards
 * costs.
 */
@RealMounts
class PlantedOverlapsTest {
  private static final int AGENTS = Integer.getInteger("hypersync.hazards.agents", 12);
  private static final int SECONDS = Integer.getInteger("hypersync.hazards.seconds", 20);
  private static final List<String> WORKERS = List.of("a", "b", "c");
  private static final int PAUSE_MS = 150;
  private static final int LEAST = 10;
  private static final String COMPILED = "-XX:TieredStopAtLevel=4";

  private static final String AGENT =
      """
      import random
      def own(folder, n):
          os.makedirs(folder, exist_ok=True)
          for i in range(n):
              name = folder + "/" + str(random.randrange(20))
              with open(name, "w") as f: f.write("x" * random.randrange(1, 5000))
              if random.random() < 0.2: os.replace(name, name + ".moved")
              with open(folder + "/log", "a") as f: f.write("line\\n")
      def plant(path, text):
          with open(path, "w") as f: f.write(text)
      def over(path, text):
          while True:
              try:
                  f = os.open(path, os.O_WRONLY)
                  if os.fstat(f).st_size == 8: break
                  os.close(f)
              except FileNotFoundError: pass
              time.sleep(0.005)
          os.write(f, text.encode())
          os.close(f)
      """;

  /** An agent's process; one thing at a time, and whoever has asked first is first. */
  private record Agent(
      String name, String worker, Path mount, PythonProcess process, ReentrantLock turns) {
    void must(String line) throws IOException {
      turns.lock();
      try {
        process.must(line);
      } finally {
        turns.unlock();
      }
    }
  }

  @Test
  @LongVersion
  void everyPlantedOverlapIsToldAndNoOther() throws Exception {
    try (TestCluster cluster = TestCluster.create()) {
      // As users run it: shares of processor time are those of compiled code.
      cluster.putJavaOptions("leader", COMPILED);
      for (String worker : WORKERS) {
        cluster.putJavaOptions(worker, COMPILED);
      }
      cluster.startLeader();
      for (String worker : WORKERS) {
        cluster.startWorker(worker);
      }
      Files.createDirectory(cluster.mount("a").resolve("shared"));
      cluster.settle("a", "b", "c");
      List<Agent> agents = new ArrayList<>();
      try {
        for (int i = 0; i < AGENTS; i++) {
          String worker = WORKERS.get(i % WORKERS.size());
          String name = "Agent" + i;
          PythonProcess process = PythonProcess.start(List.of("env", "HYPERSYNC_AGENT=" + name));
          agents.add(
              new Agent(name, worker, cluster.mount(worker), process, new ReentrantLock(true)));
          process.define(AGENT);
        }
        ToldHazards hazards = new ToldHazards(cluster);
        Set<String> planted = run(cluster, agents, hazards);
        cluster.settle("a", "b", "c");
        Set<String> told = new TreeSet<>(hazards.follow());
        Set<String> missing = new TreeSet<>(planted);
        missing.removeAll(told);
        told.removeAll(planted);
        assertEquals(Set.of(), missing, "planted and not told");
        assertEquals(Set.of(), told, "told and not planted");
        assertTrue(planted.size() >= LEAST, () -> "planted " + planted.size());
        print(cluster, planted.size());
      } catch (AssertionError e) {
        throw new AssertionError(e.getMessage() + '\n' + cluster.logs(), e);
      } finally {
        for (Agent agent : agents) {
          agent.process().close();
        }
      }
    }
  }

  private static Set<String> run(TestCluster cluster, List<Agent> agents, ToldHazards hazards)
      throws Exception {
    for (Agent agent : agents) { // until its name is known, a call may be anybody's
      known(cluster, agent);
    }
    Set<String> planted = new TreeSet<>();
    AtomicBoolean ends = new AtomicBoolean();
    int plants = 0;
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      List<Future<?>> running = new ArrayList<>();
      for (Agent agent : agents) {
        running.add(
            threads.submit(
                () -> {
                  while (!ends.get()) {
                    agent.must("own('" + agent.mount().resolve(agent.name()) + "', 1)");
                  }
                  return agent;
                }));
      }
      long endNs = System.nanoTime() + SECONDS * 1_000_000_000L;
      Random random = new Random(1);
      try {
        while (System.nanoTime() - endNs < 0 || planted.size() < LEAST) {
          List<Agent> two = new ArrayList<>(agents);
          Collections.shuffle(two, random);
          plants++;
          plant(two.get(0), two.get(1), "shared/p" + plants, planted);
          var _ = hazards.follow();
          Thread.sleep(PAUSE_MS);
        }
      } finally {
        ends.set(true);
      }
      for (Future<?> each : running) {
        each.get();
      }
    }
    return planted;
  }

  private static void known(TestCluster cluster, Agent agent) throws Exception {
    Await.until(
        "the name of " + agent.name(),
        () -> {
          agent.must("own('" + agent.mount().resolve(agent.name()) + "', 1)");
          for (JsonNode seen :
              cluster.worker(agent.worker()).status().path("agents").path("seen")) {
            if (seen.path("agent").asText().equals(agent.name())) {
              return true;
            }
          }
          return false;
        });
  }

  private static void plant(Agent first, Agent second, String path, Set<String> planted)
      throws IOException {
    first.must("plant('" + first.mount().resolve(path) + "', 'original')");
    second.must("over('" + second.mount().resolve(path) + "', 'planted!')");
    for (String kind : List.of("overlapping_write", "stale_overwrite")) {
      planted.add(kind + " of " + second.name() + " with " + first.name() + ": " + path);
    }
  }

  /** What it costs: of the leader by its own counter, of workers by the time of their threads. */
  private static void print(TestCluster cluster, int planted) throws IOException {
    JsonNode status = cluster.leader().status();
    double leaderMs = cpuMs(status.path("pid").asLong(), "");
    double hazardsMs = status.path("hazards_us").asLong() / 1_000.0;
    System.out.printf(
        "%d agents, %d s, %d entries, %d hazards told: hazards take %.0f of %.0f ms of the leader's"
            + " processor time (%.2f %%)%n",
        AGENTS,
        SECONDS,
        status.path("commit_index").asLong(),
        planted,
        hazardsMs,
        leaderMs,
        100 * hazardsMs / leaderMs);
    for (String worker : WORKERS) {
      long pid = cluster.worker(worker).status().path("pid").asLong();
      double all = cpuMs(pid, "");
      double names = cpuMs(pid, "agent-names");
      System.out.printf(
          "worker %s: names take %.0f of %.0f ms (%.2f %%)%n",
          worker, names, all, 100 * names / all);
    }
  }

  /** Processor time of the threads of a process whose names begin so; a clock tick is 10 ms. */
  private static double cpuMs(long pid, String threadName) throws IOException {
    double ms = 0;
    try (DirectoryStream<Path> threads =
        Files.newDirectoryStream(Path.of("/proc/" + pid + "/task"))) {
      for (Path thread : threads) {
        String stat = Files.readString(thread.resolve("stat"));
        String name = stat.substring(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
        if (name.startsWith(threadName)) {
          String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
          ms += 10 * (Long.parseLong(fields[11]) + Long.parseLong(fields[12]));
        }
      }
    }
    return ms;
  }
}
