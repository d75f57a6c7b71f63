package io.hypersync.cli.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hypersync.cli.Invocation;
import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.pki.EnrolmentToken;
import io.hypersync.wire.pki.PkiException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code init} and {@code token}: what they make, and what they leave alone. */
final class WorkspaceCommandsTest {
  @TempDir Path directory;

  private Path team() {
    return directory.resolve("team");
  }

  private Invocation init(String... more) {
    String[] args = new String[more.length + 2];
    args[0] = "init";
    args[1] = team().toString();
    System.arraycopy(more, 0, args, 2, more.length);
    return Invocation.of(args);
  }

  @Test
  void initMakesAWorkspaceAndSaysWhatToDoNext() {
    Invocation init = init();
    assertEquals(0, init.exitCode(), init.err());
    WorkspaceDirectory workspace = WorkspaceDirectory.open(team());
    assertEquals("team", workspace.name().text());
    assertTrue(Files.isDirectory(workspace.stateDir()));
    workspace.leaderIdentity();
    assertEquals(
        "Made workspace team ("
            + workspace.id()
            + ") in "
            + team()
            + ".\n\nNext:\n  ./hypersync leader --dir "
            + team()
            + "\n  ./hypersync token w1 --dir "
            + team()
            + "\n  ./hypersync worker --token "
            + team()
            + "/tokens/w1.token --mount /ntmfs/ws/team\n",
        init.out());
  }

  @Test
  void eachWorkspaceIsAnotherOne() {
    init();
    Invocation second = Invocation.of("init", directory.resolve("other").toString());
    assertEquals(0, second.exitCode(), second.err());
    assertFalse(
        WorkspaceDirectory.open(team())
            .id()
            .equals(WorkspaceDirectory.open(directory.resolve("other")).id()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"workspace.toml", "hypersync.toml", "ca", "leader", "state"})
  void initOverwritesNothing(String name) throws IOException {
    Files.createDirectories(team());
    Files.writeString(team().resolve(name), "mine");
    Invocation init = init();
    assertEquals(1, init.exitCode());
    assertTrue(
        init.err()
            .startsWith(
                "hypersync: " + team() + " already has " + name + "; nothing was changed\n"),
        init.err());
    assertEquals("mine", Files.readString(team().resolve(name)));
    try (var files = Files.list(team())) {
      assertEquals(1, files.count(), "init left something behind");
    }
  }

  @Test
  void aSecondInitChangesNothing() throws IOException {
    init();
    String before = Files.readString(team().resolve("workspace.toml"));
    assertEquals(1, init().exitCode());
    assertEquals(before, Files.readString(team().resolve("workspace.toml")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a b", "../x", "-x", "a/b"})
  void aNameThatIsNoPartOfAPathIsRefused(String name) {
    Invocation init = init("--name", name);
    assertEquals(2, init.exitCode(), init.err());
    assertFalse(Files.exists(team()));
  }

  @Test
  void initTakesWorkersAtOnce() throws PkiException, IOException {
    Invocation init = init("--bind", "10.0.0.1:7891", "--workers", "fmd,yto", "--json");
    assertEquals(0, init.exitCode(), init.err());
    JsonNode result = new ObjectMapper().readTree(init.out());
    assertEquals(2, result.path("tokens").size());
    EnrolmentToken yto = EnrolmentToken.read(Path.of(result.path("tokens").get(1).asText()));
    assertEquals(new WorkerId("yto"), yto.worker());
    assertEquals(result.path("workspace").asText(), yto.workspace().toString());
    assertEquals("10.0.0.1", yto.leaders().getFirst().getHostString());
    assertEquals(7891, yto.leaders().getFirst().getPort());
  }

  @Test
  void tokenWritesASecretFileForOneWorker() throws PkiException, IOException {
    init("--bind", "127.0.0.1:7891");
    Invocation token = Invocation.of("token", "fmd", "--dir", team().toString());
    assertEquals(0, token.exitCode(), token.err());
    Path file = team().resolve("tokens/fmd.token");
    assertEquals(new WorkerId("fmd"), EnrolmentToken.read(file).worker());
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    assertTrue(
        token.out().contains("./hypersync worker --token " + file + " --mount /ntmfs/ws/team"),
        token.out());
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost:7891", "127.0.0.1:7891", "[::1]:7891"})
  void aTokenThatEveryMachineUnderstandsAsItselfIsWarnedOf(String address) throws IOException {
    init("--name", "team");
    Invocation token =
        Invocation.of("token", "fmd", "--dir", team().toString(), "--leader-address", address);
    assertEquals(0, token.exitCode(), token.err());
    assertTrue(token.err().contains("the token names the leader " + address), token.err());
    assertTrue(
        token.err().contains("./hypersync token fmd --dir " + team() + " --leader-address "),
        token.err());
    assertTrue(Files.exists(team().resolve("tokens/fmd.token")), "a warning is no refusal");
    Invocation other =
        Invocation.of(
            "token", "yto", "--dir", team().toString(), "--leader-address", "10.9.8.7:7891");
    assertEquals("", other.err());
  }

  @Test
  void initWithWorkersWarnsOfTheSame() throws IOException {
    Invocation init = init("--bind", "127.0.0.1:7891", "--workers", "fmd,yto", "--json");
    assertEquals(0, init.exitCode(), init.err());
    assertTrue(
        new ObjectMapper().readTree(init.out()).path("warning").asText().contains("token fmd"),
        init.out());
  }

  @Test
  void aFolderWhereAFileIsInTheWayIsSaidWithoutNamesOfClasses() throws IOException {
    Files.writeString(team(), "a file");
    Invocation init = init();
    assertEquals(1, init.exitCode());
    assertTrue(
        init.err().startsWith("hypersync: cannot make a workspace in " + team()), init.err());
    assertFalse(init.err().contains("Exception"), init.err());
  }

  @Test
  void aLeaderThatListensOnAllAddressesIsFoundByTheNameOfItsMachine()
      throws PkiException, IOException {
    init();
    Invocation.of("token", "fmd", "--dir", team().toString());
    EnrolmentToken token = EnrolmentToken.read(team().resolve("tokens/fmd.token"));
    assertFalse(token.leaders().getFirst().getHostString().equals("0.0.0.0"));
    assertEquals(7890, token.leaders().getFirst().getPort());
  }

  @Test
  void tokenOverwritesNothing() throws IOException {
    init();
    Path out = directory.resolve("fmd.token");
    Files.writeString(out, "mine");
    Invocation token =
        Invocation.of("token", "fmd", "--dir", team().toString(), "--out", out.toString());
    assertEquals(1, token.exitCode());
    assertTrue(
        token.err().startsWith("hypersync: " + out + " exists; nothing was changed\n"),
        token.err());
    assertEquals("mine", Files.readString(out));
  }

  @Test
  void tokenOfAWrongNameSaysWhatWasExpected() {
    init();
    Invocation token = Invocation.of("token", "a b", "--dir", team().toString());
    assertEquals(2, token.exitCode());
    assertTrue(
        token
            .err()
            .startsWith(
                "hypersync: <worker>: hypersync.worker.id: expected a worker's name: 1 to 63"),
        token.err());
  }

  @Test
  void aDamagedIdentityFileIsNamed() throws IOException {
    init();
    Files.writeString(team().resolve("workspace.toml"), "id = 5\n");
    Invocation token = Invocation.of("token", "fmd", "--dir", team().toString());
    assertEquals(1, token.exitCode());
    assertTrue(
        token.err().startsWith("hypersync: " + team().resolve("workspace.toml") + ":"),
        token.err());
  }

  @Test
  void aPathWithSpacesIsQuotedForTheShell() {
    Path spaced = directory.resolve("my team");
    Invocation init = Invocation.of("init", spaced.toString(), "--name", "team");
    assertEquals(0, init.exitCode(), init.err());
    assertTrue(init.out().contains("--dir '" + spaced + "'"), init.out());
  }
}
