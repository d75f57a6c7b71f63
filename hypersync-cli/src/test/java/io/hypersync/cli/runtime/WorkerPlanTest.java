package io.hypersync.cli.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.config.ConfigurationReader;
import io.hypersync.cli.config.HostPort;
import io.hypersync.cli.config.Settings;
import io.hypersync.cli.workspace.Enrolments;
import io.hypersync.cli.workspace.NewIds;
import io.hypersync.cli.workspace.SavedWorkerOptions;
import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.cli.workspace.WorkspaceName;
import io.hypersync.model.id.WorkerId;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.DurableFiles;
import io.hypersync.worker.WorkerDaemonOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** From a configuration and a token to the options of a worker. */
final class WorkerPlanTest {
  private static final HostPort LEADER = new HostPort("leader.example", 7890);

  @TempDir Path directory;
  private WorkspaceDirectory workspace =
      new WorkspaceDirectory(
          Path.of(""), NewIds.workspace(), new WorkspaceName("team"), Instant.EPOCH);

  @BeforeEach
  void makeWorkspace() {
    workspace =
        WorkspaceDirectory.create(
            directory.resolve("team"), workspace.id(), workspace.name(), Instant.EPOCH, Map.of());
  }

  private Enrolments enrolments() {
    return new Enrolments(directory.resolve("lib"));
  }

  private Path token(String worker) {
    Path file = workspace.tokenFile(new WorkerId(worker));
    if (!Files.exists(file)) {
      workspace.writeToken(new WorkerId(worker), LEADER, file);
    }
    return file;
  }

  private Configuration configuration(String... keysAndValues) {
    ConfigurationReader reader = new ConfigurationReader();
    reader.flag("--mount", Settings.WORKER_MOUNT, directory.resolve("x/ws/team").toString());
    for (String assignment : keysAndValues) {
      reader.assignment("--set", "hypersync.worker." + assignment);
    }
    return reader.withoutFile();
  }

  private WorkerDaemonOptions plan(String... keysAndValues) {
    return WorkerPlan.options(configuration(keysAndValues), enrolments());
  }

  @Test
  void aTokenIsEnoughTheFirstTimeAndNothingFromThenOn() {
    WorkerDaemonOptions first = plan("token=" + token("fmd"));
    assertEquals(new WorkerId("fmd"), first.worker());
    assertEquals(workspace.id(), first.workspace());
    assertEquals(List.of(LEADER.unresolved()), first.leaderAddresses());
    assertEquals(Duration.ofSeconds(30), first.mutationDeadline());
    WorkerDaemonOptions second = plan();
    assertEquals(first.worker(), second.worker());
    assertEquals(first.stateDir(), second.stateDir());
    assertEquals(first.identity().cert(), second.identity().cert());
  }

  @Test
  void theLocalFolderIsMadeBesideTheMountAndOpenToAll() throws IOException {
    WorkerDaemonOptions options = plan("token=" + token("fmd"));
    assertEquals(directory.resolve("x/local/team"), options.localDir());
    assertEquals(
        01777, (int) Files.getAttribute(options.localDir(), "unix:mode") & 07777, "its mode");
    assertEquals(
        0755, (int) Files.getAttribute(directory.resolve("x/local"), "unix:mode") & 07777, "above");
    assertFalse(Files.exists(options.mountPoint()), "made when the worker has joined");
  }

  private WorkerDaemonOptions planWithoutMount() {
    return WorkerPlan.options(new ConfigurationReader().withoutFile(), enrolments());
  }

  private void started(Configuration configuration, WorkerDaemonOptions options) {
    WorkerPlan.remember(configuration, options, enrolments());
  }

  @Test
  void whatAFlagSaidHoldsFromThenOn() {
    Configuration first =
        configuration("token=" + token("fmd"), "leader_address=10.0.0.2:7891, 10.0.0.3:7892");
    started(first, WorkerPlan.options(first, enrolments()));
    WorkerDaemonOptions second = planWithoutMount();
    assertEquals(directory.resolve("x/ws/team"), second.mountPoint());
    assertEquals(
        List.of(
            new HostPort("10.0.0.2", 7891).unresolved(),
            new HostPort("10.0.0.3", 7892).unresolved()),
        second.leaderAddresses());
    started(new ConfigurationReader().withoutFile(), second);
    assertEquals(second.leaderAddresses(), planWithoutMount().leaderAddresses(), "and on");
  }

  @Test
  void whatAFileSaysIsNotKept() throws IOException {
    Path file =
        Files.writeString(
            directory.resolve("hypersync.toml"),
            "[hypersync.worker]\nleader_address = \"10.0.0.2:7891\"\n");
    ConfigurationReader reader = new ConfigurationReader();
    reader.flag("--mount", Settings.WORKER_MOUNT, directory.resolve("x/ws/team").toString());
    reader.flag("--token", Settings.WORKER_TOKEN, token("fmd").toString());
    Configuration configuration = reader.withFile(file);
    started(configuration, WorkerPlan.options(configuration, enrolments()));
    assertEquals(List.of(LEADER.unresolved()), planWithoutMount().leaderAddresses());
  }

  @Test
  void aNewTokenKnowsBetterThanAnOldFlag() throws IOException {
    Configuration first = configuration("token=" + token("fmd"), "leader_address=10.0.0.2:7891");
    started(first, WorkerPlan.options(first, enrolments()));
    assertEquals(
        List.of(new HostPort("10.0.0.2", 7891).unresolved()),
        plan("token=" + token("fmd")).leaderAddresses(),
        "the same token, which a configuration may name for ever");
    Files.delete(workspace.tokenFile(new WorkerId("fmd")));
    assertEquals(List.of(LEADER.unresolved()), plan("token=" + token("fmd")).leaderAddresses());
  }

  @Test
  void aMountBelongsToWhoeverHadItBefore() {
    Configuration fmd =
        configuration("token=" + token("fmd"), "state_dir=" + directory.resolve("elsewhere"));
    WorkerDaemonOptions options = WorkerPlan.options(fmd, enrolments());
    started(fmd, options);
    plan("token=" + token("yto"));
    assertEquals(new WorkerId("fmd"), plan().worker(), "by its mount, wherever its state is");
    assertEquals(options.stateDir(), plan().stateDir());
    assertEquals(new WorkerId("yto"), plan("mount=" + directory.resolve("other")).worker());
  }

  @Test
  void whatIsRememberedAndGoneIsForgotten() throws IOException {
    Path state = directory.resolve("elsewhere");
    Configuration fmd = configuration("token=" + token("fmd"), "state_dir=" + state);
    started(fmd, WorkerPlan.options(fmd, enrolments()));
    DurableFiles.deleteTree(state);
    Configuration yto =
        configuration("token=" + token("yto"), "state_dir=" + directory.resolve("third"));
    started(yto, WorkerPlan.options(yto, enrolments()));
    try (var pointers = Files.list(directory.resolve("lib/elsewhere"))) {
      assertEquals(1, pointers.count());
    }
    assertEquals(new WorkerId("yto"), planWithoutMount().worker());
  }

  @Test
  void aMemoryThatCannotBeReadIsNone() throws IOException {
    WorkerDaemonOptions options = plan("token=" + token("fmd"));
    for (String text : List.of("mount = 3\n", "mount = \"relative\"\n", "\0", "[", "mount")) {
      Files.writeString(options.stateDir().resolve("worker.toml"), text);
      assertThrows(UserError.class, this::planWithoutMount, text);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"a b", "q\"uote", "back\\slash", "li\nne", "über"})
  void everyPathCanBeRemembered(String name) throws IOException {
    SavedWorkerOptions memory =
        new SavedWorkerOptions(
            Optional.of(Path.of("/" + name)),
            List.of(new HostPort("fe80::1", 7890), new HostPort("b", 1)));
    memory.write(directory);
    assertEquals(memory, SavedWorkerOptions.read(directory));
  }

  @Test
  void aTokenThatOthersCanReadIsTakenAndItsCopyIsClosed() throws IOException {
    Path file = token("fmd");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    WorkerDaemonOptions options = plan("token=" + file);
    Path copy = options.stateDir().resolve("enrolment.token");
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(copy)));
    assertEquals(
        "rwx------",
        PosixFilePermissions.toString(Files.getPosixFilePermissions(options.stateDir())));
  }

  @ParameterizedTest
  @CsvSource({
    "/ntmfs/ws/team, /ntmfs/local/team",
    "/mnt/team, /mnt/team.local",
    "/team, /team.local",
    "/ws/team, /local/team"
  })
  void theLocalFolderOfAMount(Path mount, Path localDir) {
    assertEquals(localDir, WorkerPlan.localDirOf(mount));
  }

  @Test
  void whoeverIsEnrolledTwiceMustSayWho() {
    plan("token=" + token("fmd"));
    plan("token=" + token("yto"));
    UserError error = assertThrows(UserError.class, this::plan);
    assertEquals("this machine is enrolled 2 times", error.message());
    assertEquals(new WorkerId("yto"), plan("id=yto").worker());
  }

  @Test
  void whoeverIsNotEnrolledIsToldHowTo() {
    UserError error = assertThrows(UserError.class, this::plan);
    assertEquals(
        "this machine is not enrolled as a worker (looked in " + directory.resolve("lib") + ")",
        error.message());
    assertTrue(error.hint().contains("./hypersync token <worker>"), error.hint());
  }

  @Test
  void aTokenOfAnotherWorkerIsRefused() {
    UserError error = assertThrows(UserError.class, () -> plan("id=yto", "token=" + token("fmd")));
    assertEquals("this is worker yto, but the token is for fmd", error.message());
  }

  @Test
  void aStateFolderOfAnotherWorkerIsRefused() {
    Path state = directory.resolve("state");
    plan("token=" + token("fmd"), "state_dir=" + state);
    UserError error =
        assertThrows(UserError.class, () -> plan("token=" + token("yto"), "state_dir=" + state));
    assertTrue(error.message().startsWith(state + " belongs to worker fmd"), error.message());
  }

  @Test
  void withoutAMountThereIsAQuestion() {
    ConfigurationReader reader = new ConfigurationReader();
    reader.flag("--token", Settings.WORKER_TOKEN, token("fmd").toString());
    Configuration configuration = reader.withoutFile();
    UserError error =
        assertThrows(UserError.class, () -> WorkerPlan.options(configuration, enrolments()));
    assertEquals("where is the workspace to be mounted?", error.message());
  }

  @Test
  void aFileThatIsNoTokenIsNamed() throws IOException {
    Path file = Files.writeString(directory.resolve("x.token"), "hello\n");
    UserError error = assertThrows(UserError.class, () -> plan("token=" + file));
    assertTrue(error.message().contains(file.toString()), error.message());
  }
}
