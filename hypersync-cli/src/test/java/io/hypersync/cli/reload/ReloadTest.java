package io.hypersync.cli.reload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.config.ConfigurationReader;
import io.hypersync.cli.config.ConfigurationSource;
import io.hypersync.cli.config.HostPort;
import io.hypersync.cli.config.Setting;
import io.hypersync.cli.config.Settings;
import io.hypersync.cli.log.LogOutput;
import io.hypersync.cli.runtime.LeaderPlan;
import io.hypersync.cli.runtime.WorkerPlan;
import io.hypersync.cli.workspace.Enrolments;
import io.hypersync.cli.workspace.NewIds;
import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.cli.workspace.WorkspaceName;
import io.hypersync.leader.LeaderDaemon;
import io.hypersync.leader.LeaderTuning;
import io.hypersync.leader.visibility.Visibility;
import io.hypersync.model.id.WorkerId;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.worker.WorkerDaemon;
import io.hypersync.worker.WorkerTuning;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What becomes of a change of a file, in a real leader and a real worker that run. */
class ReloadTest {
  /** For each setting that can change while a daemon runs another value, as TOML. */
  private static final Map<Setting<?>, String> OTHER = new LinkedHashMap<>();

  static {
    OTHER.put(Settings.LEADER_INTENT_RATE_LIMIT_OPS, "77");
    OTHER.put(Settings.LEADER_INTENT_BURST_OPS, "7");
    OTHER.put(Settings.LEADER_INTENT_RATE_LIMIT_BYTES, "\"3MB\"");
    OTHER.put(Settings.LEADER_VISIBILITY, "\"everywhere\"");
    OTHER.put(Settings.WORKER_PARTITION_GRACE, "\"42s\"");
    OTHER.put(Settings.WORKER_LEADER_STALE, "\"300ms\"");
    OTHER.put(Settings.WORKER_LEADER_TIMEOUT, "\"4s\"");
    OTHER.put(Settings.SNAPSHOTS_INTERVAL, "\"7m\"");
    OTHER.put(Settings.SNAPSHOTS_RETAIN, "9");
    OTHER.put(Settings.SNAPSHOTS_RETAIN_DAILY, "3");
    OTHER.put(Settings.SNAPSHOTS_RETAIN_BYTES, "\"5GiB\"");
    OTHER.put(Settings.GC_INTERVAL, "\"2h\"");
    OTHER.put(Settings.GC_REPLAY_ENTRIES, "1234");
    OTHER.put(Settings.GC_REPLAY_TIME, "\"3h\"");
    OTHER.put(Settings.SCHEDULER_MAX_AGENTS_PER_WORKER, "5");
    OTHER.put(Settings.SCHEDULER_MAX_SYNC_LAG_MS, "60");
    OTHER.put(Settings.SCHEDULER_MAX_COMMIT_RTT_MS, "300");
    OTHER.put(Settings.LOGGING_LEVEL, "\"warn\"");
    OTHER.put(Settings.LOGGING_FORMAT, "\"json\"");
  }

  @TempDir static Path directory;

  private static LeaderDaemon leader;
  private static WorkerDaemon worker;

  @BeforeAll
  static void start() {
    WorkspaceDirectory workspace =
        WorkspaceDirectory.create(
            directory.resolve("team"),
            NewIds.workspace(),
            new WorkspaceName("team"),
            Instant.EPOCH,
            Map.of());
    ConfigurationReader reader = new ConfigurationReader();
    reader.assignment("--set", "hypersync.leader.bind_address=127.0.0.1:0");
    leader = LeaderDaemon.start(LeaderPlan.options(workspace, reader.withoutFile()));
    Path token = directory.resolve("w.token");
    workspace.writeToken(new WorkerId("w"), new HostPort("127.0.0.1", 1), token);
    reader.assignment("--set", "hypersync.worker.token=" + token);
    reader.assignment("--set", "hypersync.worker.mount=" + directory.resolve("m/ws/team"));
    worker =
        WorkerDaemon.start(
            WorkerPlan.options(
                reader.withoutFile(), new Enrolments(directory.resolve("enrolments"))));
  }

  @AfterAll
  static void stop() {
    worker.close();
    leader.close();
  }

  @AfterEach
  void asBefore() throws IOException {
    Configuration first = reload().current();
    LeaderTuning planned = planned(first);
    leader.tune(_ -> planned);
    worker.tune(WorkerPlan.tuning(first));
    LogOutput.follow(first);
  }

  private static Path file() {
    return directory.resolve("hypersync.toml");
  }

  private static void write(String... lines) throws IOException {
    Files.writeString(file(), String.join("\n", lines) + "\n");
  }

  /** Of a process that begins with an empty file. */
  private static Reload reload() throws IOException {
    write();
    return Reload.of(new ConfigurationSource(new ConfigurationReader(), file(), false));
  }

  private static LeaderTuning planned(Configuration configuration) {
    return LeaderPlan.tuning(
        configuration,
        configuration.get(Settings.LEADER_VISIBILITY),
        leader.tuning().collections().options());
  }

  static List<String> changeable() {
    return OTHER.keySet().stream().map(Setting::key).toList();
  }

  @Test
  void eachSettingThatCanChangeIsTriedHere() {
    assertEquals(
        Settings.all().stream()
            .filter(Setting::changesWhileRunning)
            .map(Setting::key)
            .collect(Collectors.toSet()),
        OTHER.keySet().stream().map(Setting::key).collect(Collectors.toSet()));
  }

  @ParameterizedTest
  @MethodSource("changeable")
  void aDaemonThatRunsTakesUpEachOfThem(String key) throws IOException {
    Setting<?> setting = Settings.find(key).orElseThrow();
    LeaderTuning leading = leader.tuning();
    WorkerTuning serving = worker.tuning();
    String logging = LogOutput.describe();
    Reload leadersReload = reload();
    Reload workersReload = reload();
    leadersReload.runs(leader);
    workersReload.runs(worker);
    write("[" + setting.section() + "]", setting.name() + " = " + OTHER.get(setting));
    Reloaded reloaded = leadersReload.again();
    var _ = workersReload.again();
    assertEquals(
        List.of(key), reloaded.changed().stream().map(Change::key).toList(), reloaded::toString);
    assertEquals(OTHER.get(setting), reloaded.changed().getFirst().after());
    assertEquals(List.of(), reloaded.waiting());
    Configuration now = leadersReload.current();
    assertEquals(planned(now), leader.tuning());
    assertEquals(WorkerPlan.tuning(now), worker.tuning());
    assertTrue(
        !leader.tuning().equals(leading)
            || !worker.tuning().equals(serving)
            || !LogOutput.describe().equals(logging),
        "nothing that runs is different");
  }

  @Test
  void whatCannotChangeIsNamedAndStays() throws IOException {
    Reload reload = reload();
    reload.runs(leader);
    write("[hypersync.leader]", "batch_max_ops = 7", "intent_burst_ops = 8");
    Reloaded first = reload.again();
    assertEquals(
        List.of(new Change("hypersync.leader.batch_max_ops", "100", "7")), first.waiting());
    assertEquals(
        List.of(new Change("hypersync.leader.intent_burst_ops", "100", "8")), first.changed());
    assertEquals(100, reload.current().get(Settings.LEADER_BATCH_MAX_OPS));
    Reloaded second = reload.again();
    assertEquals(first.waiting(), second.waiting(), "it still needs a restart");
    assertEquals(List.of(), second.changed());
    assertEquals(
        "nothing changes now; needs a restart: hypersync.leader.batch_max_ops = 7", second.line());
  }

  @Test
  void aFileThatIsWrongChangesNothing() throws IOException {
    Reload reload = reload();
    reload.runs(leader);
    LeaderTuning before = leader.tuning();
    write("[hypersync.leader]", "intent_burst_ops = 8", "lock_ttl = \"long\"", "colour = 1");
    UserError error = assertThrows(UserError.class, reload::again);
    assertEquals(UserError.USAGE, error.exitCode());
    assertTrue(
        error.message().startsWith("nothing was changed: " + file() + ":3: "), error::message);
    assertTrue(error.message().endsWith("(and 1 more)"), error::message);
    assertEquals("All of it: ./hypersync config check " + file(), error.hint());
    assertEquals(before, leader.tuning());
    assertEquals(100, reload.current().get(Settings.LEADER_INTENT_BURST_OPS));
  }

  @Test
  void whatADaemonWouldNotStartWithChangesNothing() throws IOException {
    Reload reload = reload();
    reload.runs(leader);
    write("[hypersync.leader]", "intent_burst_ops = 8", "sync_standby = 1");
    UserError error = assertThrows(UserError.class, reload::again);
    assertTrue(error.message().contains("no standby is named"), error::message);
    assertEquals(100, leader.tuning().rateLimits().burstOps());
  }

  /** The rule holds for the file, but not for what would be in force. */
  @Test
  void aChangeThatNeedsOneWhichNeedsARestartChangesNothing() throws IOException {
    Reload reload = reload();
    reload.runs(worker);
    WorkerTuning before = worker.tuning();
    write("[hypersync.worker]", "leader_timeout = \"50s\"", "mutation_deadline = \"60s\"");
    UserError error = assertThrows(UserError.class, reload::again);
    assertTrue(
        error.message().contains("hypersync.worker.leader_timeout (\"50s\") must not be more than"),
        error::message);
    assertEquals(before, worker.tuning());
  }

  @Test
  void whatACommandHasSetStaysUnlessTheFileSaysSomethingElseNow() throws IOException {
    Reload reload = reload();
    reload.runs(leader);
    leader.tune(
        now ->
            new LeaderTuning(
                now.rateLimits(),
                now.snapshots(),
                now.collections(),
                now.placement(),
                Visibility.EVERYWHERE));
    write("[hypersync.leader]", "intent_burst_ops = 8");
    var _ = reload.again();
    assertEquals(Visibility.EVERYWHERE, leader.tuning().visibility());
    assertEquals(8, leader.tuning().rateLimits().burstOps());
  }

  /** What an agent that was too busy takes up later is taken back by a file that is as it was. */
  @Test
  void afterAReadingThatFailedHalfwayTheNextOneSetsAllAgain() throws Exception {
    Reload reload = reload();
    reload.runs(leader);
    LeaderTuning before = leader.tuning();
    CountDownLatch isBusy = new CountDownLatch(1);
    CompletableFuture<LeaderTuning> rest = new CompletableFuture<>();
    Thread asking =
        Thread.ofPlatform()
            .start(
                () ->
                    assertThrows(
                        UserError.class,
                        () ->
                            leader.tune(
                                _ -> {
                                  isBusy.countDown();
                                  return rest.join();
                                })));
    isBusy.await();
    write("[hypersync.leader]", "intent_burst_ops = 8", "visibility = \"everywhere\"");
    UserError error = assertThrows(UserError.class, reload::again);
    assertTrue(error.message().endsWith("what has changed is not known"), error::message);
    assertTrue(error.hint().contains("./hypersync config reload"), error::hint);
    asking.join();
    rest.complete(before);
    assertEquals(8, leader.tuning().rateLimits().burstOps(), "it does so late");
    assertEquals(Visibility.EVERYWHERE, leader.tuning().visibility());
    assertEquals(100, reload.current().get(Settings.LEADER_INTENT_BURST_OPS));
    write();
    assertEquals(
        List.of(
            new Change("hypersync.leader.intent_burst_ops", "unknown", "100"),
            new Change("hypersync.leader.visibility", "unknown", "\"own\"")),
        reload.again().changed());
    assertEquals(before, leader.tuning());
    assertEquals(List.of(), reload.again().changed(), "all is known");
  }

  @Test
  void aDaemonThatBeginsLaterHasWhatChangedBefore() throws IOException {
    Reload reload = reload();
    write("[hypersync.leader]", "intent_burst_ops = 8");
    var _ = reload.again();
    assertNotEquals(8, leader.tuning().rateLimits().burstOps());
    reload.runs(leader);
    assertEquals(8, leader.tuning().rateLimits().burstOps());
  }

  @Test
  void aFlagStaysOverTheFile() throws IOException {
    write();
    ConfigurationReader flags = new ConfigurationReader();
    flags.assignment("--set", "hypersync.leader.intent_burst_ops=9");
    Reload reload = Reload.of(new ConfigurationSource(flags, file(), false));
    write("[hypersync.leader]", "intent_burst_ops = 8");
    assertEquals(List.of(), reload.again().changed());
    assertEquals(9, reload.current().get(Settings.LEADER_INTENT_BURST_OPS));
  }

  @Test
  void aFileOfTheMachineMayComeAndGo() throws IOException {
    Files.deleteIfExists(file());
    Reload reload = Reload.of(new ConfigurationSource(new ConfigurationReader(), file(), true));
    write("[hypersync.leader]", "intent_burst_ops = 8");
    assertEquals(1, reload.again().changed().size());
    Files.delete(file());
    assertEquals(8, reload.current().get(Settings.LEADER_INTENT_BURST_OPS));
    var _ = reload.again();
    assertEquals(100, reload.current().get(Settings.LEADER_INTENT_BURST_OPS));
  }
}
