package io.hypersync.cli.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.hypersync.fixtures.HostProcesses;
import io.hypersync.fixtures.NatsServer;
import io.hypersync.runtime.admin.AdminClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Agents in processes of their own, {@code hypersync putex}, with a real nats-server, killed,
 * stopped and cut off. The service takes a lock of the kernel that all hosts share; one that finds
 * it taken says so, which is what must never happen.
 */
@Tag("slow")
class PutexProcessTest {
  private static final String SERVICE = "team";
  private static final Duration LIMIT = Duration.ofSeconds(2);

  /** Not {@code kill -0}, which also succeeds if it has ended and was not yet reaped. */
  private static final String RUNS =
      "runs() { grep -qs '^State:[[:space:]]*[^ZX[:space:]]' \"/proc/$(cat pid 2>/dev/null)/status\"; }";

  @TempDir private Path folder;
  private NatsServer nats;
  private final List<Agent> agents = new ArrayList<>();

  @BeforeEach
  void start() throws Exception {
    nats = NatsServer.start(folder);
  }

  @AfterEach
  void endAll() throws Exception {
    for (Agent agent : agents) {
      agent.signal("CONT");
      agent.process.destroyForcibly().waitFor();
      agent.awaitStopped();
    }
    nats.close();
    assertFalse(Files.exists(folder.resolve("overlap")), "two services have run at the same time");
  }

  /** One agent of a host that is a folder. */
  private final class Agent {
    private final Path home;
    private final String token;
    private Process process;

    Agent(String token, String... options) throws IOException {
      this.token = token;
      this.home = Files.createDirectories(folder.resolve(token));
      run(options);
      agents.add(this);
    }

    void run(String... options) throws IOException {
      List<String> command =
          new ArrayList<>(
              List.of(
                  ProcessHandle.current().info().command().orElse("java"),
                  "-Xmx96m",
                  "-XX:+UseSerialGC",
                  "-XX:TieredStopAtLevel=1",
                  "--enable-native-access=ALL-UNNAMED",
                  "-cp",
                  System.getProperty("java.class.path"),
                  "io.hypersync.cli.Main",
                  "putex",
                  SERVICE,
                  "--run-dir=" + home.resolve("run"),
                  "--token=" + token,
                  "-R=500",
                  "-F=3",
                  "-C=3",
                  "--check=" + checkScript(),
                  "--start=" + startScript(),
                  "--stop=" + stopScript()));
      command.addAll(
          options.length == 0
              ? List.of("--store=" + nats.url(), "--create-bucket")
              : List.of(options));
      process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(home.resolve("log").toFile()))
              .start();
    }

    private String checkScript() {
      return """
          cd '%1$s'
          test -e hangs-check && tail -f '%1$s/hangs-check'
          ! test -e sick
          """
          .formatted(home);
    }

    private String startScript() {
      return """
          cd '%s'
          test -e hangs-start && tail -f '%1$s/hangs-start'
          %2$s
          runs && exit 0
          setsid bash -c 'flock -n 9 || { date >>../overlap; exit 1; }; exec sleep 10000' 9>../only &
          echo $! >pid; date +%%s.%%N >>starts
          """
          .formatted(home, RUNS);
    }

    private String stopScript() {
      return """
          cd '%s'
          test -e pid || exit 0
          %s
          kill -9 "$(cat pid)"
          while runs; do sleep 0.02; done
          rm pid
          """
          .formatted(home, RUNS);
    }

    void signal(String name) throws Exception {
      new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
    }

    boolean runsService() {
      try {
        String pid = Files.readString(home.resolve("pid")).strip();
        return !pid.isEmpty() && HostProcesses.runs(Long.parseLong(pid));
      } catch (IOException _) {
        return false;
      }
    }

    void awaitStopped() {
      await(() -> !runsService(), token + " stops its service");
    }

    JsonNode status() {
      return new AdminClient(home.resolve("run").resolve("putex-" + SERVICE + ".sock"), LIMIT)
                  .ask("status")
              instanceof AdminClient.Reply.Result(JsonNode status)
          ? status
          : MissingNode.getInstance();
    }

    void awaitRole(String role) {
      await(() -> status().path("role").asText().equals(role), token + " is " + role);
    }

    String log() throws IOException {
      return Files.readString(home.resolve("log"));
    }
  }

  private static void await(BooleanSupplier wanted, String what) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!wanted.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, what);
      try {
        TimeUnit.MILLISECONDS.sleep(20);
      } catch (InterruptedException interrupted) {
        throw new AssertionError(interrupted);
      }
    }
  }

  private Agent awaitOneActive(Agent... among) {
    await(
        () -> List.of(among).stream().anyMatch(Agent::runsService), "one of them runs the service");
    return List.of(among).stream().filter(Agent::runsService).findFirst().orElseThrow();
  }

  @Test
  void anAgentThatIsKilledIsFollowedAndItsServiceDoesNotOutliveIt() throws Exception {
    Agent a = new Agent("a");
    Agent b = new Agent("b");
    for (int round = 0; round < 3; round++) {
      Agent first = awaitOneActive(a, b);
      Agent second = first == a ? b : a;
      first.process.destroyForcibly().waitFor();
      first.awaitStopped();
      second.awaitRole("active");
      assertTrue(second.runsService());
      first.run();
      first.awaitRole("standby");
    }
  }

  @Test
  void anAgentThatIsStoppedIsFollowedAndDoesNothingWhenItGoesOn() throws Exception {
    Agent a = new Agent("a");
    Agent b = new Agent("b");
    for (int round = 0; round < 3; round++) {
      Agent first = awaitOneActive(a, b);
      Agent second = first == a ? b : a;
      first.signal("STOP");
      second.awaitRole("active");
      assertFalse(first.runsService());
      first.signal("CONT");
      first.awaitRole("standby");
      assertTrue(second.runsService());
    }
    assertTrue((a.log() + b.log()).contains("the switch stopped the service"));
  }

  @Test
  void aStoreThatIsGoneStopsTheServiceAndItIsStartedOnceWhenItIsBack() throws Exception {
    Agent a = new Agent("a");
    Agent b = new Agent("b");
    Agent active = awaitOneActive(a, b);
    nats.kill();
    active.awaitStopped();
    b.awaitRole("unsure");
    assertTrue(
        b.status().path("problem").asText().startsWith("no NATS server can be reached"),
        () -> b.status().toString());
    nats.again();
    awaitOneActive(a, b);
  }

  @Test
  void aSickHostHandsOverAtOnceAndASignalDoesToo() throws Exception {
    Agent a = new Agent("a");
    a.awaitRole("active");
    Agent b = new Agent("b");
    b.awaitRole("standby");
    Files.createFile(a.home.resolve("sick"));
    b.awaitRole("active");
    a.awaitRole("unhealthy");
    Files.delete(a.home.resolve("sick"));
    a.awaitRole("standby");
    b.signal("TERM");
    assertTrue(b.process.waitFor(30, TimeUnit.SECONDS));
    assertEquals(0, b.process.exitValue(), b::toString);
    assertFalse(b.runsService());
    a.awaitRole("active");
    assertTrue(b.log().contains("frees the lock"), b.log());
  }

  @ParameterizedTest
  @ValueSource(strings = {"hangs-check", "hangs-start"})
  void whatAScriptThatHangsHasStartedDoesNotOutliveItsAgent(String script) throws Exception {
    Agent a = new Agent("a", "--store=file:" + folder.resolve("locks"));
    a.awaitRole("active");
    Path hangs = Files.createFile(a.home.resolve(script));
    String started = "tail -f " + hangs;
    await(
        () ->
            HostProcesses.withCommandLine(started).stream()
                .anyMatch(line -> line.startsWith(started)),
        script);
    a.process.destroyForcibly().waitFor();
    a.awaitStopped();
    await(() -> HostProcesses.withCommandLine(a.home + "/").isEmpty(), "all has ended");
  }

  @Test
  void agentsOfOneHostHaveTheirLockInAFile() throws Exception {
    String store = "--store=file:" + folder.resolve("locks");
    Agent a = new Agent("a", store);
    Agent b = new Agent("b", store);
    Agent first = awaitOneActive(a, b);
    Agent second = first == a ? b : a;
    first.process.destroyForcibly().waitFor();
    second.awaitRole("active");
  }
}
