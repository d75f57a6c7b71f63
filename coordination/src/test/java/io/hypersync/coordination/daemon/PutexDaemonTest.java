package io.hypersync.coordination.daemon;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.coordination.cas.CasException;
import io.hypersync.coordination.cas.MemoryCasStore;
import io.hypersync.coordination.cas.MemoryCasStore.Fault;
import io.hypersync.coordination.putex.Outcome;
import io.hypersync.coordination.putex.PutexTiming;
import io.hypersync.coordination.putex.Step;
import io.hypersync.fixtures.HostProcesses;
import io.hypersync.runtime.agent.Clock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One agent with a store in memory; its service is a process that sleeps. */
class PutexDaemonTest {
  private static final long MS = 1_000_000L;
  private static final String KEY = "team";

  /** R = 500 ms, F = 2, C = 2. */
  private static final PutexTiming TIMING = new PutexTiming(500 * MS, 2, 2);

  @TempDir private Path folder;
  private final MemoryCasStore store = new MemoryCasStore();
  private final List<PutexDaemon> started = new ArrayList<>();

  @AfterEach
  void closeAll() {
    started.forEach(PutexDaemon::close);
  }

  private PutexScripts scripts() {
    return new PutexScripts(
        "echo \"$1\" >>%1$s/checks; ! test -e %1$s/sick".formatted(folder),
        """
        kill -0 "$(cat %1$s/pid 2>/dev/null)" 2>/dev/null && exit
        setsid sleep 1000 & echo $! >%1$s/pid; echo started >>%1$s/starts
        """
            .formatted(folder),
        """
        test -e %1$s/pid || exit 0
        kill -9 "$(cat %1$s/pid)" 2>/dev/null; rm -f %1$s/pid
        """
            .formatted(folder),
        "echo fenced >>%s/fences".formatted(folder));
  }

  private PutexDaemon agent(PutexScripts scripts) {
    PutexDaemon daemon =
        PutexDaemon.start(new PutexOptions("team", KEY, "me", TIMING, scripts, store, "memory"));
    started.add(daemon);
    return daemon;
  }

  private void free() throws CasException {
    store.create(KEY, new byte[0]);
  }

  private String holder() throws CasException {
    return store.read(KEY).map(record -> new String(record.value(), UTF_8)).orElse("(none)");
  }

  private static JsonNode awaited(PutexDaemon daemon, Predicate<JsonNode> wanted)
      throws InterruptedException {
    for (int i = 0; i < 600; i++) {
      JsonNode status = daemon.status();
      if (wanted.test(status)) {
        return status;
      }
      TimeUnit.MILLISECONDS.sleep(50);
    }
    throw new AssertionError("never so: " + daemon.status());
  }

  private static Predicate<JsonNode> role(String role) {
    return status -> status.path("role").asText().equals(role);
  }

  private boolean serviceRuns() throws IOException {
    String pid = lines("pid").strip();
    return !pid.isEmpty() && HostProcesses.runs(Long.parseLong(pid));
  }

  private String lines(String file) throws IOException {
    try {
      return Files.readString(folder.resolve(file));
    } catch (NoSuchFileException _) {
      return "";
    }
  }

  @Test
  void aFreeLockIsTakenTheServiceRunsAndClosingStopsItAndFreesTheLock() throws Exception {
    free();
    PutexDaemon daemon = agent(scripts());
    awaited(daemon, role("active"));
    awaited(daemon, status -> status.path("revision").asLong() > 3);
    assertTrue(serviceRuns());
    assertEquals("me", holder());
    assertEquals("fenced\n", lines("fences"));
    assertEquals("started\n", lines("starts"));
    assertTrue(lines("checks").startsWith("standby\nactive\n"), lines("checks"));
    daemon.close();
    assertFalse(serviceRuns());
    assertEquals("", holder());
    assertEquals("left", daemon.status().path("role").asText());
  }

  @Test
  void aServiceThatIsSickIsStoppedAndTheLockFreed() throws Exception {
    free();
    PutexDaemon daemon = agent(scripts());
    awaited(daemon, role("active"));
    Files.createFile(folder.resolve("sick"));
    JsonNode status = awaited(daemon, role("unhealthy"));
    assertFalse(serviceRuns());
    assertEquals("", holder());
    assertTrue(
        status
            .path("check_failure")
            .asText()
            .startsWith("the health check failed with exit code 1"),
        status::toString);
    Files.delete(folder.resolve("sick"));
    awaited(daemon, role("active"));
  }

  @Test
  void aStoreThatIsGoneStopsTheServiceInTime() throws Exception {
    free();
    PutexDaemon daemon = agent(scripts());
    awaited(daemon, role("active"));
    store.faults((operation, key) -> Fault.NOT_DONE);
    long begun = System.nanoTime();
    awaited(daemon, status -> !status.path("service_may_run").asBoolean());
    assertTrue(
        System.nanoTime() - begun <= TIMING.patienceNs() + TIMING.stopLimitNs() + 1_000 * MS);
    assertFalse(serviceRuns());
    store.faults((operation, key) -> Fault.NONE);
    awaited(daemon, role("active"));
  }

  @Test
  void aStoreThatHangsStopsTheServiceInTime() throws Exception {
    free();
    PutexDaemon daemon = agent(scripts());
    awaited(daemon, role("active"));
    store.faults(
        (operation, key) -> {
          try {
            TimeUnit.SECONDS.sleep(5);
          } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
          }
          return Fault.NOT_DONE;
        });
    awaited(daemon, status -> !status.path("service_may_run").asBoolean());
    assertFalse(serviceRuns());
  }

  @Test
  void aCheckThatHangsIsEndedWithAllThatItHasStarted() throws Exception {
    PutexScripts scripts = scripts();
    String hangs = "tail -f %s/hangs & wait".formatted(folder);
    Files.createFile(folder.resolve("hangs"));
    free();
    PutexDaemon daemon =
        agent(new PutexScripts(hangs, scripts.start(), scripts.stop(), scripts.fence()));
    JsonNode status = awaited(daemon, role("unhealthy"));
    assertEquals(
        "the health check took longer than 1000 ms", status.path("check_failure").asText());
    daemon.close();
    assertEquals(List.of(), HostProcesses.withCommandLine(folder + "/hangs"));
  }

  @Test
  void aCheckThatIsEndedLeavesNothingWheneverThatIs() throws Exception {
    Files.createFile(folder.resolve("hangs"));
    for (int i = 0; i < 60; i++) {
      HealthCheck check = new HealthCheck("tail -f %s/hangs & wait".formatted(folder), Map.of());
      FutureTask<Outcome> run =
          new FutureTask<>(() -> check.run(new Step.Check(true, 20_000 * MS)));
      Thread.ofPlatform().start(run);
      TimeUnit.MICROSECONDS.sleep(200L * i);
      check.end();
      assertInstanceOf(Outcome.Failed.class, run.get(5, TimeUnit.SECONDS));
      assertEquals(List.of(), HostProcesses.withCommandLine(folder + "/hangs"));
    }
  }

  @Test
  void aCheckThatPrintsWithoutEndTakesNoMemoryAndFails() throws Exception {
    PutexScripts scripts = scripts();
    free();
    PutexDaemon daemon =
        agent(new PutexScripts("yes", scripts.start(), scripts.stop(), scripts.fence()));
    long before = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    awaited(daemon, role("unhealthy"));
    System.gc();
    long after = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    assertTrue(after - before < 64 << 20, () -> "grown by " + (after - before));
  }

  @Test
  void aStopThatPrintsMuchStopsAllTheSame() throws Exception {
    PutexScripts scripts = scripts();
    free();
    PutexDaemon daemon =
        agent(
            new PutexScripts(
                scripts.check(),
                scripts.start(),
                "head -c 3000000 /dev/zero; " + scripts.stop(),
                scripts.fence()));
    awaited(daemon, role("active"));
    daemon.close();
    assertFalse(serviceRuns());
    assertEquals("", holder());
  }

  @Test
  void aServiceThatDoesNotStopKeepsTheLock() throws Exception {
    PutexScripts scripts = scripts();
    free();
    PutexDaemon daemon =
        agent(
            new PutexScripts(
                scripts.check(),
                scripts.start(),
                "test -e %s/may-stop || exit 3; %s".formatted(folder, scripts.stop()),
                ""));
    awaited(daemon, role("active"));
    Files.createFile(folder.resolve("sick"));
    awaited(
        daemon, status -> status.path("problem").asText().contains("stopping the service failed"));
    assertEquals("me", holder());
    Files.createFile(folder.resolve("may-stop"));
    awaited(daemon, status -> !status.path("service_may_run").asBoolean());
    assertFalse(serviceRuns());
  }

  @Test
  void fencingThatFailsStartsNothing() throws Exception {
    PutexScripts scripts = scripts();
    free();
    PutexDaemon daemon =
        agent(
            new PutexScripts(scripts.check(), scripts.start(), scripts.stop(), "echo no; exit 1"));
    JsonNode status = awaited(daemon, found -> found.path("problem").asText().contains("fencing"));
    assertTrue(status.path("problem").asText().contains("no"), status::toString);
    assertFalse(serviceRuns());
    assertEquals("", lines("starts"));
  }

  @Test
  void theSwitchStopsTheServiceWhenItsTimeIsOver() throws Exception {
    try (ServiceSwitch lever = new ServiceSwitch(scripts(), Map.of(), TIMING, Clock.SYSTEM)) {
      long untilNs = Clock.SYSTEM.monotonicNs() + 800 * MS;
      assertEquals(new Outcome.Passed(), lever.start(new Step.Start(false, untilNs, 500 * MS, 7)));
      assertTrue(serviceRuns());
      while (Clock.SYSTEM.monotonicNs() < untilNs - 100 * MS) {
        assertTrue(serviceRuns());
        TimeUnit.MILLISECONDS.sleep(20);
      }
      TimeUnit.MILLISECONDS.sleep(1_000);
      assertFalse(serviceRuns());
      assertEquals(1, lever.expired());
    }
  }

  @Test
  void theSwitchStartsNothingWhenItIsTooLate() throws Exception {
    try (ServiceSwitch lever = new ServiceSwitch(scripts(), Map.of(), TIMING, Clock.SYSTEM)) {
      long nowNs = Clock.SYSTEM.monotonicNs();
      assertEquals(
          new Outcome.Failed("it is too late to start the service"),
          lever.start(new Step.Start(false, nowNs, 500 * MS, 7)));
      assertFalse(serviceRuns());
    }
  }

  @Test
  void aStartThatHangsIsEndedAndTheServiceStoppedInTime() throws Exception {
    PutexScripts hangs =
        new PutexScripts("true", scripts().start() + "sleep 1000", scripts().stop(), "");
    try (ServiceSwitch lever = new ServiceSwitch(hangs, Map.of(), TIMING, Clock.SYSTEM)) {
      long untilNs = Clock.SYSTEM.monotonicNs() + 1_000 * MS;
      Outcome outcome = lever.start(new Step.Start(false, untilNs, 5_000 * MS, 7));
      assertEquals(new Outcome.Failed("starting the service was killed"), outcome);
      TimeUnit.MILLISECONDS.sleep(700);
      assertFalse(serviceRuns());
    }
  }

  @Test
  void whatAStartSaysIsToldAlsoIfTheServiceHoldsItsOutput() throws Exception {
    PutexScripts fails =
        new PutexScripts(
            "true", scripts().start() + "echo it is full >&2; exit 3", scripts().stop(), "");
    try (ServiceSwitch lever = new ServiceSwitch(fails, Map.of(), TIMING, Clock.SYSTEM)) {
      long untilNs = Clock.SYSTEM.monotonicNs() + 60_000 * MS;
      assertEquals(
          new Outcome.Failed("starting the service failed with exit code 3: it is full"),
          lever.start(new Step.Start(false, untilNs, 5_000 * MS, 7)));
      assertTrue(serviceRuns());
      assertEquals(new Outcome.Passed(), lever.stop(new Step.Stop(TIMING.stopLimitNs())));
      assertFalse(serviceRuns());
    }
  }

  @Test
  void theSwitchStopsTheServiceWhenItsAgentIsGone() throws Exception {
    try (ServiceSwitch lever = new ServiceSwitch(scripts(), Map.of(), TIMING, Clock.SYSTEM)) {
      long untilNs = Clock.SYSTEM.monotonicNs() + 60_000 * MS;
      assertEquals(new Outcome.Passed(), lever.start(new Step.Start(false, untilNs, 500 * MS, 7)));
    }
    for (int i = 0; i < 100 && serviceRuns(); i++) {
      TimeUnit.MILLISECONDS.sleep(50);
    }
    assertFalse(serviceRuns());
  }

  /** Which no other holder has had: a number for what is to be ordered beyond the lock. */
  @Test
  void scriptsKnowTheRevisionOfTheLock() throws Exception {
    PutexScripts says =
        new PutexScripts(
            "true",
            "echo $PUTEX_REVISION >>%s/revisions".formatted(folder),
            "true",
            "echo fence $PUTEX_REVISION >>%s/revisions".formatted(folder));
    try (ServiceSwitch lever = new ServiceSwitch(says, Map.of(), TIMING, Clock.SYSTEM)) {
      long untilNs = Clock.SYSTEM.monotonicNs() + 60_000 * MS;
      assertEquals(
          new Outcome.Passed(),
          lever.start(new Step.Start(true, untilNs, 5_000 * MS, 1_700_000_000_000_000_000L)));
      assertEquals(
          new Outcome.Passed(),
          lever.start(new Step.Start(false, untilNs, 5_000 * MS, 1_700_000_000_000_000_001L)));
    }
    assertEquals(
        "fence 1700000000000000000\n1700000000000000000\n1700000000000000001\n",
        lines("revisions"));
  }

  @Test
  void anAgentWhoseServiceDoesNotStopEndsWithAnError() throws Exception {
    free();
    PutexScripts scripts = scripts();
    Path stays = folder.resolve("stays");
    String stop = "test ! -e %s || exit 1; ".formatted(stays) + scripts.stop();
    PutexDaemon daemon =
        agent(new PutexScripts(scripts.check(), scripts.start(), stop, scripts.fence()));
    awaited(daemon, role("active"));
    Files.createFile(stays);
    daemon.close();
    assertTrue(daemon.ended().isCompletedExceptionally());
    assertTrue(
        String.valueOf(daemon.ended().exceptionNow().getMessage())
            .contains("could not be stopped"));
    Files.delete(stays); // its switch goes on trying
    for (int i = 0; i < 100 && serviceRuns(); i++) {
      TimeUnit.MILLISECONDS.sleep(50);
    }
    assertFalse(serviceRuns());
  }

  /** What systemctl says of the unit, and whether it is healthy. */
  @ParameterizedTest
  @CsvSource({"active, true", "inactive, true", "activating, true", "failed, false", "'', false"})
  void aUnitIsHealthyIfSystemdSaysThatItHasNotFailed(String says, boolean isHealthy)
      throws Exception {
    Path systemctl = folder.resolve("systemctl");
    Files.writeString(systemctl, "#!/bin/bash\nprintf '%s' '" + says + "'; exit 1\n");
    assertTrue(systemctl.toFile().setExecutable(true));
    HealthCheck check =
        new HealthCheck(
            PutexScripts.ofUnit("team", Duration.ofSeconds(1)).check(),
            Map.of("PATH", folder + ":" + System.getenv("PATH")));
    assertEquals(isHealthy, check.run(new Step.Check(true, 10_000 * MS)) instanceof Outcome.Passed);
  }
}
