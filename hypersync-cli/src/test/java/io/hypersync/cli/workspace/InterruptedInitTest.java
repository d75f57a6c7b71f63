package io.hypersync.cli.workspace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.cli.Invocation;
import io.hypersync.cli.config.HostPort;
import io.hypersync.cli.workspace.WorkspaceDirectory.StateFiller;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.wire.pki.EnrolmentToken;
import io.hypersync.wire.pki.PkiException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An {@code init} that is killed between any two of its steps, followed by another one. */
@Timeout(600)
@Tag("slow")
final class InterruptedInitTest {
  private static final int LIMIT_STEPS = 50;
  private static final WorkspaceId ID = NewIds.workspace();
  private static final StateFiller EMPTY = StateFiller.NONE;

  @TempDir private Path directory;
  private Path team = Path.of("");

  @BeforeEach
  void name() {
    team = directory.resolve("team");
  }

  /** Creates a workspace and halts at a given step, as if killed with SIGKILL. */
  static final class Victim {
    private Victim() {}

    /** Arguments: the folder, at which step, from 1 on, and what it begins with. */
    public static void main(String[] args) {
      int[] left = {Integer.parseInt(args[1])};
      Runnable step =
          () -> {
            if (--left[0] == 0) {
              Runtime.getRuntime().halt(9);
            }
          };
      create(Path.of(args[0]), args[2].equals("from a backup") ? filler(step) : EMPTY, step);
    }
  }

  /** What a state that is made from a backup looks like. */
  private static StateFiller filler(Runnable step) {
    return stateDir -> {
      step.run();
      Files.createDirectories(stateDir.resolve("oplog"));
      step.run();
      Files.writeString(stateDir.resolve("oplog/x"), "an entry");
    };
  }

  private static WorkspaceDirectory create(Path root, Runnable step) {
    return create(root, EMPTY, step);
  }

  private static WorkspaceDirectory create(Path root, StateFiller filler, Runnable step) {
    return new WorkspaceDirectory(root, ID, new WorkspaceName("team"), Instant.EPOCH)
        .create(
            WorkspaceDirectory.saying(new HostPort("127.0.0.1", 7890)),
            List.of(new WorkerId("fmd"), new WorkerId("yto")),
            _ -> List.of(new HostPort("127.0.0.1", 7890)),
            filler,
            step);
  }

  /** Returns whether the process was killed before it had finished. */
  private static boolean killAt(Path root, int step) throws IOException, InterruptedException {
    return killAt(root, step, "nothing");
  }

  private static boolean killAt(Path root, int step, String begins)
      throws IOException, InterruptedException {
    Process victim =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Dslf4j.provider=org.slf4j.helpers.NOP_FallbackServiceProvider",
                "-cp",
                System.getProperty("java.class.path"),
                Victim.class.getName(),
                root.toString(),
                Integer.toString(step),
                begins)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.INHERIT)
            .start();
    assertTrue(victim.waitFor(60, TimeUnit.SECONDS), "the init does not end");
    return victim.exitValue() == 9;
  }

  @ParameterizedTest
  @ValueSource(strings = {"nothing", "from a backup"})
  void theNextInitIsNotInItsWay(String begins)
      throws IOException, InterruptedException, PkiException {
    int step = 1;
    while (killAt(directory.resolve("at-" + step), step, begins)) {
      Path root = directory.resolve("at-" + step);
      String at = "killed at step " + step;
      Path identity = root.resolve("workspace.toml");
      String before = Files.exists(identity) ? Files.readString(identity) : "";
      Invocation next = Invocation.of("init", root.toString(), "--workers", "fmd,yto");
      if (!before.isEmpty()) {
        assertEquals(before, Files.readString(identity), at);
        assertTrue(next.err().contains("already has workspace.toml"), at + ": " + next.err());
      } else {
        assertEquals(0, next.exitCode(), at + ": " + next.err());
      }
      WorkspaceDirectory made = WorkspaceDirectory.open(root);
      var _ = made.leaderIdentity();
      for (String worker : List.of("fmd", "yto")) {
        assertEquals(
            made.id(), EnrolmentToken.read(made.tokenFile(new WorkerId(worker))).workspace(), at);
      }
      assertEquals(
          List.of("ca", "hypersync.toml", "leader", "state", "tokens", "workspace.toml"),
          names(root),
          at);
      assertEquals(
          before.isEmpty() || begins.equals("nothing") ? List.of() : List.of("oplog"),
          names(root.resolve("state")),
          at);
      step++;
      assertTrue(step < LIMIT_STEPS, "the init never ends");
    }
    assertTrue(step > 8, "only " + step + " steps");
  }

  @Test
  void aWorkspaceThatIsHalfMadeIsNotLedAndSaysWhatToDo() throws Exception {
    assertTrue(killAt(team, 3));
    Invocation token = Invocation.of("token", "fmd", "--dir", team.toString());
    assertEquals(2, token.exitCode());
    assertTrue(token.err().contains("init was interrupted there: run it again"), token.err());
  }

  /** A leader has been there since, and its workspace.toml is lost. */
  @Test
  void anOldMarkHarmsNoStateThatALeaderHasGoneOnFrom() throws Exception {
    create(team, filler(() -> {}), () -> {});
    InitMark.write(team, ID, List.of(), true).close();
    Files.delete(team.resolve("workspace.toml"));
    Files.writeString(team.resolve("state/LOCK"), "the leader of team");
    var before = content(team);
    Invocation init = Invocation.of("init", team.toString());
    assertEquals(1, init.exitCode(), init.err());
    assertTrue(init.err().contains("which a leader made"), init.err());
    assertEquals(before, content(team));
  }

  /** An old mark in a directory that has been in use since. */
  @ParameterizedTest
  @ValueSource(strings = {"state/LOCK", "state/oplog/x", "tokens/css.token", "workspace.toml"})
  void anOldMarkHarmsNoLivingWorkspace(String sign) throws Exception {
    create(team, () -> {});
    mark(ID);
    Files.move(team.resolve("workspace.toml"), directory.resolve("workspace.toml"));
    Path file = team.resolve(sign);
    Files.createDirectories(file.getParent());
    Files.writeString(file, sign);
    var before = content(team);
    Invocation init = Invocation.of("init", team.toString());
    assertEquals(1, init.exitCode(), init.err());
    assertTrue(init.err().contains("; nothing was changed"), init.err());
    var after = content(team);
    if (sign.equals("workspace.toml")) {
      before.remove(InitMark.FILE); // the workspace is complete: only the mark is removed
    }
    assertEquals(before, after);
  }

  @Test
  void anOldMarkOfAnotherWorkspaceHarmsNone() throws Exception {
    create(team, () -> {});
    mark(NewIds.workspace());
    Files.delete(team.resolve("workspace.toml"));
    var before = content(team);
    Invocation init = Invocation.of("init", team.toString());
    assertEquals(1, init.exitCode(), init.err());
    assertTrue(init.err().contains("an authority that is not its own"), init.err());
    assertEquals(before, content(team));
  }

  @Test
  void aMarkThatIsNotWholeWasTheFirstThingToBeMade() throws Exception {
    Files.createDirectories(team);
    Files.writeString(team.resolve(InitMark.FILE), "hypersync init 1\nworksp");
    Invocation init = Invocation.of("init", team.toString());
    assertEquals(0, init.exitCode(), init.err());
    assertFalse(InitMark.isIn(team));
  }

  @Test
  void anInitThatIsUnderWayIsLeftAlone() throws Exception {
    Files.createDirectories(team);
    List<UserError> refused = new ArrayList<>();
    create(
        team,
        () ->
            refused.add(
                assertThrows(UserError.class, () -> create(team, () -> {}), "a second one")));
    assertFalse(refused.isEmpty());
    for (UserError error : refused) {
      assertTrue(error.message().contains("another ./hypersync init"), error.message());
    }
    assertEquals(ID, WorkspaceDirectory.open(team).id());
  }

  private void mark(WorkspaceId workspace) throws IOException {
    Files.writeString(
        team.resolve(InitMark.FILE),
        "hypersync init 1\nworkspace " + workspace + "\ntoken fmd.token\ntoken yto.token\nend\n");
  }

  private static List<String> names(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> String.valueOf(file.getFileName())).sorted().toList();
    }
  }

  private static Map<String, String> content(Path folder) throws IOException {
    Map<String, String> content = new TreeMap<>();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.toList()) {
        content.put(
            folder.relativize(file).toString(),
            Files.isDirectory(file) ? "a folder" : Files.readString(file));
      }
    }
    return content;
  }
}
