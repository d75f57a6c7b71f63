package io.hypersync.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which secrets of a daemon are said to be open to others. */
final class SecretsTest {
  @TempDir Path root;
  private Path state;

  @BeforeEach
  void aWorkspaceWhoseFolderOthersMayEnter() throws IOException {
    mode(root, "rwxr-xr-x");
    file("workspace.toml", "rw-r--r--");
    state = folder("state", "rwx------");
  }

  private static Path mode(Path path, String mode) throws IOException {
    return Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
  }

  private Path folder(String name, String mode) throws IOException {
    return mode(Files.createDirectories(root.resolve(name)), mode);
  }

  private Path file(String name, String mode) throws IOException {
    Files.createDirectories(root.resolve(name).getParent());
    return mode(Files.writeString(root.resolve(name), ""), mode);
  }

  private Secrets look(String... words) {
    Secrets secrets = new Secrets();
    secrets.look(List.of(state), new DaemonArguments(List.of(words), root));
    return secrets;
  }

  /** Modes of a state directory and of what is in it; whether others get at that. */
  @ParameterizedTest
  @CsvSource({
    "rwx------, rw-r--r--, false",
    "rwx--x--x, rw-------, false",
    "rwx--x--x, rw-r--r--, true",
    "rwx--x--x, rw-rw----, true",
    "rwx--x---, rw-r-----, true",
    "rwxr-xr-x, rw-------, true",
    "rwxr--r--, rw-r--r--, false"
  })
  void aStateDirectoryIsClosedIfNobodyGetsAtWhatIsInIt(String directory, String file, boolean open)
      throws IOException {
    file("state/resume.key", file);
    mode(state, directory);
    assertEquals(open ? Set.of(state) : Set.of(), look().open());
  }

  @Test
  void whatIsBehindAClosedFolderIsNotOpen() throws IOException {
    mode(state, "rwxr-xr-x");
    assertEquals(Set.of(state), look().open());
    mode(root, "rwx------");
    assertEquals(Set.of(), look().open());
  }

  @Test
  void theAuthoritysKeyAndTokensAreSecretsOfTheWorkspace() throws IOException {
    file("ca/ca.key", "rw-r--r--");
    file("tokens/w2.token", "rw-r--r--");
    Path authority = folder("ca", "rwx--x--x");
    Path tokens = folder("tokens", "rwx------");
    assertEquals(Set.of(authority), look().open());
    mode(tokens, "rwxr-xr-x");
    assertEquals(Set.of(authority, tokens), look().open());
  }

  @Test
  void aWorkspaceThatKeepsItsStateElsewhereIsKnownByTheOption() throws IOException {
    Files.delete(root.resolve("workspace.toml"));
    Path authority = folder("elsewhere/ca", "rwxr-xr-x");
    assertEquals(Set.of(), look().open());
    assertEquals(Set.of(authority), look("leader", "--dir", "elsewhere").open());
  }

  @Test
  void tokensThatOptionsAndSettingsNameAreSecrets() throws IOException {
    Path token = file("a.token", "rw-r-----");
    Path metrics = file("scrape", "rw-r-----");
    String set = "hypersync.metrics.token_file=" + metrics;
    assertEquals(Set.of(token), look("worker", "--token", "a.token", "--set", set).open());
    mode(metrics, "rw-r--r--");
    assertEquals(Set.of(token, metrics), look("worker", "--token=a.token", "--set", set).open());
    Files.writeString(
        root.resolve("hypersync.toml"), "[hypersync.metrics]\ntoken_file = \"" + metrics + "\"\n");
    assertEquals(Set.of(metrics), look("leader").open());
  }

  @Test
  void whatCannotBeLookedAtIsNamed() throws IOException {
    Files.writeString(root.resolve("hypersync.toml"), "nonsense");
    Path loop = root.resolve("loop");
    Files.createSymbolicLink(loop, loop);
    Secrets secrets = look("worker", "--token", "loop");
    assertEquals(2, secrets.unseen().size(), secrets.unseen()::toString);
    assertTrue(secrets.unseen().contains(loop.toString()));
    assertEquals(Set.of(), look("worker", "--token", "gone").open());
  }
}
