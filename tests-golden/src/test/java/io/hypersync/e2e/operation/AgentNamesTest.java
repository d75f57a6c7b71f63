package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.ChildJvm;
import io.hypersync.e2e.harness.PythonProcess;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The log says which agent made a change, as its process says it (hypersync.md 8.1). */
@RealMounts
class AgentNamesTest {
  private static final int RACES = 40;
  private static final int ATTEMPTS = 20;
  private static final long A_SECOND_NS = 1_000_000_000;

  /** The worker b is mounted through libfuse 2. */
  @RegisterExtension
  static final TestClusterExtension CLUSTER = TestClusterExtension.withJnrMount();

  @TempDir Path home;
  private Path folder = Path.of("");
  private long before;

  @BeforeEach
  void folder() throws Exception {
    folder = Files.createTempDirectory(CLUSTER.mount("a"), "agents-").toRealPath();
    before = commitIndex();
  }

  private static long commitIndex() {
    return cluster().leader().status().path("commit_index").asLong();
  }

  private static TestCluster cluster() {
    return CLUSTER.get();
  }

  /** What a test does in its folder. */
  @FunctionalInterface
  private interface Work {
    void run() throws Exception;
  }

  /**
   * What the work does, as {@code <op> by <agent>}. On a busy machine a call may go on before its
   * process was looked at, and then has no name; so that is done again, in a new folder.
   */
  private Set<String> done(Work work) throws Exception {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      folder();
      long late = late();
      work.run();
      if (late() == late) {
        return done();
      }
    }
    throw new AssertionError("looks are late each time: " + cluster().worker("a").status());
  }

  /** How many calls went on without a name, since looking took too long. */
  private static long late() {
    long late = 0;
    for (String worker : List.of("a", "b")) {
      JsonNode agents = cluster().worker(worker).status().path("agents");
      late += agents.path("looks_late").asLong() + agents.path("looks_refused").asLong();
    }
    return late;
  }

  /** What was done since the folder was made. */
  private Set<String> done() {
    Set<String> done = new TreeSet<>();
    for (JsonNode entry : entries()) {
      done.add(entry.path("op").asText() + " by " + entry.path("agent").asText());
    }
    return done;
  }

  private List<JsonNode> entries() {
    List<JsonNode> entries = new ArrayList<>();
    for (JsonNode entry : cluster().log(2_000)) {
      boolean isOfAProcess = !entry.path("op").asText().equals("ReapOrphans");
      if (isOfAProcess && entry.path("log_index").asLong() > before) {
        entries.add(entry);
      }
    }
    return entries;
  }

  private Shell sh(Map<String, String> environment, String script) throws Exception {
    return Shell.run(folder, environment, List.of("sh", "-c", script));
  }

  @Test
  void everyKindOfChangeIsOfTheAgentOfTheEnvironment() throws Exception {
    String script =
        """
        set -e
        mkdir d; echo x > d/f; ln -s f d/s; ln d/f d/h; mkfifo d/p; mv d/f d/g; chmod 600 d/g
        truncate -s 3 d/g; : > d/g; rm d/h d/s d/p d/g; rmdir d
        """;
    Set<String> done = done(() -> sh(Map.of("AGENT_NAME", "BlueLake"), script).orFail(script));
    assertTrue(
        done.containsAll(
            List.of(
                "MakeDir by BlueLake",
                "CreateFile by BlueLake",
                "Write by BlueLake",
                "MakeSymlink by BlueLake",
                "Link by BlueLake",
                "MakeNode by BlueLake",
                "Rename by BlueLake",
                "SetAttributes by BlueLake",
                "Truncate by BlueLake",
                "Unlink by BlueLake",
                "RemoveDir by BlueLake")),
        done::toString);
    assertTrue(done.stream().allMatch(each -> each.endsWith(" by BlueLake")), done::toString);
  }

  @Test
  void itIsSoOnBothBackends() throws Exception {
    Set<String> done =
        done(
            () -> {
              Path onB = CLUSTER.mount("b").resolve(folder.getFileName());
              Await.until("the folder on b", () -> Files.isDirectory(onB));
              List<String> command = List.of("sh", "-c", "echo x > f");
              Shell.run(onB, Map.of("HYPERSYNC_AGENT", "OnB"), command).orFail("sh");
            });
    assertEquals(Set.of("CreateFile by OnB", "Write by OnB"), done);
  }

  private static String sha1(Path project) throws Exception {
    byte[] hash =
        MessageDigest.getInstance("SHA-1")
            .digest(project.toString().getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().formatHex(hash).substring(0, 12);
  }

  private void nameOfPane(Path where, String pane, String name) throws Exception {
    Path file = where.resolve(".config/agent-mail/identity").resolve(sha1(folder)).resolve(pane);
    Files.createDirectories(file.getParent());
    Files.writeString(file, name + "\n");
  }

  @Test
  void theIdentityFileOfAPaneNamesItsProcesses() throws Exception {
    Set<String> done =
        done(
            () -> {
              nameOfPane(home, "12", "GreenCastle");
              Path below = Files.createDirectories(folder.resolve("src/api"));
              before = commitIndex();
              Shell.run(
                      below,
                      Map.of("TMUX_PANE", "%12", "HOME", home.toString()),
                      List.of("sh", "-c", "echo x > f"))
                  .orFail("sh");
            });
    assertEquals(Set.of("CreateFile by GreenCastle", "Write by GreenCastle"), done);
  }

  @Test
  void anIdentityFileOnTheMountItselfIsReadToo() throws Exception {
    Set<String> done =
        done(
            () -> {
              nameOfPane(folder, "13", "OnTheMount");
              before = commitIndex();
              Map<String, String> pane = Map.of("TMUX_PANE", "%13", "HOME", folder.toString());
              sh(pane, "mkdir d").orFail("mkdir");
            });
    assertEquals(Set.of("MakeDir by OnTheMount"), done);
  }

  @Test
  void aProcessWithoutANameHasThatOfItsAncestor() throws Exception {
    String script = "env -i /bin/mkdir d; true";
    Set<String> done = done(() -> sh(Map.of("AGENT_NAME", "RedFort"), script).orFail(script));
    assertEquals(Set.of("MakeDir by RedFort"), done);
  }

  /** The shell's child opens the file before it calls exec, and only then has the variable. */
  @ParameterizedTest
  @ValueSource(strings = {"sh", "bash"})
  void afterARedirectionTheProgramThatWritesHasItsName(String shell) throws Exception {
    for (int race = 0; race < RACES; race++) {
      String script = "AGENT_NAME=Program" + race + " /bin/echo x > f; true";
      List<String> command = List.of(shell, "-c", script);
      Set<String> done =
          done(() -> Shell.run(folder, Map.of("AGENT_NAME", "Shell"), command).orFail(script));
      assertEquals(Set.of("CreateFile by Shell", "Write by Program" + race), done);
    }
  }

  /** The child of vfork has the memory, and so the environment, of its parent until exec. */
  @Test
  void aChildThatIsSpawnedHasItsOwnName() throws Exception {
    String program =
        """
        import os
        for race in range(%d):
            actions = [(os.POSIX_SPAWN_OPEN, 1, f"s{race}", os.O_CREAT | os.O_WRONLY, 0o600)]
            child = os.posix_spawn("/bin/echo", ["echo", "x"], {"AGENT_NAME": "Child"},
                                   file_actions=actions)
            assert os.waitpid(child, 0)[1] == 0
        """
            .formatted(RACES);
    List<String> command = List.of("python3", "-c", program);
    Set<String> done =
        done(() -> Shell.run(folder, Map.of("AGENT_NAME", "Parent"), command).orFail("python3"));
    assertEquals(Set.of("CreateFile by Parent", "Write by Child"), done);
  }

  @Test
  void anyThreadOfAProcessHasItsName() throws Exception {
    String program =
        """
        import os, threading
        def work(number):
            os.mkdir(f"t{number}")
        for _ in range(3):
            threads = [threading.Thread(target=work, args=(f"{_}-{i}",)) for i in range(8)]
            [t.start() for t in threads]
            [t.join() for t in threads]
        """;
    List<String> command = List.of("python3", "-c", program);
    Map<String, String> environment = Map.of("NTM_AGENT_NAME", "Threads");
    Set<String> done = done(() -> Shell.run(folder, environment, command).orFail("python3"));
    assertEquals(Set.of("MakeDir by Threads"), done);
  }

  /** Hundreds of processes, so that numbers and descriptors are used again. */
  @Test
  void manyShortProcessesHaveTheirOwnNames() throws Exception {
    String script =
        "i=0; while [ $i -lt 300 ]; do AGENT_NAME=N$i /bin/mkdir m$i; i=$((i + 1)); done";
    long late = late();
    sh(Map.of(), script).orFail(script);
    List<JsonNode> made = entries();
    assertEquals(300, made.size());
    int unnamed = 0;
    for (JsonNode entry : made) {
      String detail = entry.path("detail").asText();
      String name = entry.path("agent").asText();
      unnamed += name.isEmpty() ? 1 : 0;
      assertTrue(
          name.isEmpty() || name.equals("N" + detail.substring(1, detail.indexOf(' '))),
          entry::toString);
    }
    long calls = late() - late;
    int nobodys = unnamed;
    assertTrue(unnamed <= calls, () -> nobodys + " without a name, " + calls + " not waited for");
  }

  /**
   * Reading the environment takes the lock of the process's memory, which a page fault may hold.
   * The page that it waits for does not come while worker b stands still.
   */
  @Test
  void aPageFaultOfTheCallerThatWaitsDoesNotHoldUpItsCalls() throws Exception {
    Path slow = CLUSTER.mount("b").resolve(folder.getFileName()).resolve("slow");
    Files.write(folder.resolve("slow"), new byte[4 << 20]);
    Await.until("the file on b", () -> Files.exists(slow) && Files.size(slow) == 4 << 20);
    try (PythonProcess process = PythonProcess.start(List.of("env", "AGENT_NAME=Faulty"))) {
      process.must("import threading");
      process.must("libc = ctypes.CDLL(None); libc.mmap.restype = ctypes.c_void_p");
      process.must("f = os.open(" + quoted(slow) + ", os.O_RDONLY)");
      process.must(
          "at = libc.mmap(None, ctypes.c_size_t(4 << 20), 1, 2, f, ctypes.c_long(0));"
              + " assert at not in (None, 2 ** 64 - 1)");
      process.must("to = ctypes.create_string_buffer(8)");
      process.must(
          "t = threading.Thread(target=lambda: libc.memcpy(to, ctypes.c_void_p(at + (3 << 20)), 8))");
      cluster().worker("b").freeze();
      try {
        process.must("t.start(); time.sleep(0.3); assert t.is_alive()");
        long beganNs = System.nanoTime();
        process.must("os.mkdir(" + quoted(folder.resolve("meanwhile")) + ")");
        long tookNs = System.nanoTime() - beganNs;
        assertTrue(tookNs < A_SECOND_NS, () -> tookNs + " ns");
        process.must("assert t.is_alive()");
      } finally {
        cluster().worker("b").thaw();
      }
      process.must("t.join(); os.rmdir(" + quoted(folder.resolve("meanwhile")) + ")");
    }
    // The directory is removed when nothing is stuck any more; but that look may be late, too.
    Set<String> done = done();
    assertTrue(
        done.contains("RemoveDir by Faulty") || done.contains("RemoveDir by "), done::toString);
  }

  /** The home directory is on a filesystem that does not answer. */
  @Test
  void anIdentityFileThatCannotBeReadHoldsUpNobody() throws Exception {
    Path stuck = CLUSTER.mount("b").resolve("no-home-" + System.nanoTime());
    cluster().worker("b").freeze();
    long took;
    try {
      long beganNs = System.nanoTime();
      sh(Map.of("TMUX_PANE", "%1", "HOME", stuck.toString()), "mkdir d").orFail("mkdir");
      sh(Map.of("AGENT_NAME", "Other"), "mkdir e").orFail("mkdir");
      took = System.nanoTime() - beganNs;
    } finally {
      cluster().worker("b").thaw();
    }
    assertTrue(took < 2 * A_SECOND_NS, () -> took + " ns");
    Await.until(
        "names again",
        () -> {
          String name = "n" + System.nanoTime();
          sh(Map.of("AGENT_NAME", "Again"), "mkdir " + name).orFail(name);
          return done().contains("MakeDir by Again");
        });
  }

  private static String quoted(Path path) {
    return "'" + path + "'";
  }

  /** Standard output of {@code hypersync}; on standard error the JVM warns of what it is given. */
  private static String command(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("sh", "-c", "exec \"$@\" 2> /dev/null", "sh"));
    command.addAll(ChildJvm.command(List.of(arguments)));
    return Shell.run(Path.of("/"), ChildJvm.environment(cluster().runDirectory()), command)
        .orFail(String.join(" ", arguments));
  }

  /** What the launcher of exec does with what the program prints. */
  @Test
  void execRunsACommandAsAnAgentWithItsCachesInTheLocalFolder() throws Exception {
    String mount = CLUSTER.mount("a").toString();
    String environment = command("exec", "--agent", "Red Lake", "--mount", mount, "--", "make");
    String script = environment + "mkdir d && mkdir -p \"$GOCACHE\" && echo \"$GOCACHE\"";
    List<String> said = new ArrayList<>();
    Set<String> done = done(() -> said.add(sh(Map.of(), script).orFail(script).strip()));
    assertEquals(Set.of("MakeDir by Red Lake"), done);
    String cache = said.getLast();
    Path local = Path.of(cluster().worker("a").status().path("local").asText());
    assertEquals(local.resolve("cache/go-build").toString(), cache);
    assertTrue(Files.isDirectory(Path.of(cache)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"shell", "json", "toml", "pane-env"})
  void envHasTheLocalFolderInEachFormat(String format) throws Exception {
    String mount = CLUSTER.mount("a").toString();
    String env = command("env", "--agent", "Lake", "--mount", mount, "--format", format);
    String local = cluster().worker("a").status().path("local").asText();
    assertTrue(env.contains(local + "/cache/agents/Lake/cargo-target"), env);
    assertTrue(env.contains("HYPERSYNC_AGENT"), env);
    if (format.equals("json")) {
      assertEquals(mount, new ObjectMapper().readTree(env).path("mount").asText());
    }
  }

  @Test
  void theLogAndTheStatusNameTheAgent() throws Exception {
    String name = "Lake" + System.nanoTime();
    Set<String> done =
        done(
            () -> {
              sh(Map.of("AGENT_NAME", name), "mkdir d e").orFail("mkdir");
              sh(Map.of("AGENT_NAME", "Other"), "mkdir f").orFail("mkdir");
            });
    assertEquals(Set.of("MakeDir by " + name, "MakeDir by Other"), done);
    JsonNode log =
        new ObjectMapper().readTree(command("log", "-n", "2", "--agent", name, "--json"));
    List<String> made = new ArrayList<>();
    log.path("entries").forEach(entry -> made.add(entry.path("detail").asText()));
    assertEquals(List.of("d mode 755", "e mode 755"), made);
    String table = command("log", "-n", "2", "--agent", name);
    assertEquals(3, table.lines().count(), table);
    assertTrue(table.lines().skip(1).allMatch(line -> line.contains(name)), table);
    JsonNode status = new ObjectMapper().readTree(command("status", "--json"));
    List<String> seen = new ArrayList<>();
    for (JsonNode worker : status.path("workers")) {
      worker.path("agents").path("seen").forEach(agent -> seen.add(agent.path("agent").asText()));
    }
    assertTrue(seen.contains(name), seen::toString);
    assertTrue(command("status").contains(name));
  }

  @Test
  void noNameReachesATerminalAsASequence() throws Exception {
    String hostile = "\u001b]0;owned\u0007\u001b[2J";
    Map<String, String> environment = Map.of("AGENT_NAME", hostile, "NTM_AGENT_NAME", "Decent");
    assertEquals(
        Set.of("MakeDir by Decent"), done(() -> sh(environment, "mkdir d").orFail("mkdir")));
    for (String line : List.of(command("log"), command("status"), command("log", "--json"))) {
      assertFalse(line.contains("\u001b"), line);
    }
  }

  @Test
  void theLogHasAsManyEntriesOfAnAgentAsAreAskedFor() {
    JsonNode log =
        cluster()
            .leader()
            .ask(
                "log", JsonNodeFactory.instance.objectNode().put("tail", 3).put("agent", "nobody"));
    assertEquals(0, log.path("entries").size());
  }
}
