package io.hypersync.cli.ntm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.cli.ntm.NtmPlugin.State;
import io.hypersync.runtime.admin.UserError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The command that NTM runs: what it passes on, and that no foreign file is touched. */
final class NtmPluginTest {
  @TempDir Path directory;

  private NtmPlugin plugin;
  private Path launcher;

  @BeforeEach
  void make() throws IOException {
    launcher = directory.resolve("it's here").resolve("hypersync");
    Files.createDirectories(launcher.getParent());
    program(launcher, "printf '%s|' \"$@\"; exit ${CODE:-0}");
    plugin =
        new NtmPlugin(new NtmConfigDirectory(directory.resolve("config/ntm")).plugin(), launcher);
  }

  private static void program(Path file, String body) throws IOException {
    Files.writeString(file, "#!/bin/sh\n" + body + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** What a run of the plugin says, and its exit code. */
  private String run(Map<String, String> environment, String... words) throws Exception {
    List<String> line = new ArrayList<>(List.of(plugin.file().toString()));
    line.addAll(List.of(words));
    ProcessBuilder builder = new ProcessBuilder(line);
    builder.environment().remove("NTM_JSON");
    builder.environment().remove("HYPERSYNC_WORKSPACE_DIR");
    builder.environment().putAll(environment);
    Process process = builder.start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return out + process.waitFor();
  }

  @Test
  void installedTwiceItIsTheSame() throws Exception {
    assertEquals(State.ABSENT, plugin.state());
    assertEquals(State.ABSENT, plugin.install(false));
    assertEquals(State.CURRENT, plugin.state());
    assertEquals(State.CURRENT, plugin.install(false));
    assertEquals(
        "rwxr-xr-x", PosixFilePermissions.toString(Files.getPosixFilePermissions(plugin.file())));
    try (var files = Files.list(plugin.file().getParent())) {
      assertEquals(List.of(plugin.file()), files.toList());
    }
  }

  @Test
  void itsHeaderIsWhatNtmReads() throws Exception {
    var _ = plugin.install(false);
    List<String> head = Files.readAllLines(plugin.file()).subList(0, 10);
    assertTrue(head.stream().anyMatch(line -> line.startsWith("# Description: ")), head::toString);
    assertTrue(
        head.stream().anyMatch(line -> line.startsWith("# Usage: ntm hypersync ")), head::toString);
  }

  @Test
  void oneOfAnotherHypersyncIsReplacedAndRemoved() throws Exception {
    var _ = new NtmPlugin(plugin.file(), Path.of("/old/hypersync")).install(false);
    assertEquals(State.OUTDATED, plugin.state());
    assertEquals(State.OUTDATED, plugin.install(false));
    assertEquals(State.CURRENT, plugin.uninstall());
    assertEquals(State.ABSENT, plugin.uninstall());
    assertFalse(Files.exists(plugin.file()));
  }

  @Test
  void aForeignFileIsLeftAlone() throws Exception {
    Files.createDirectories(plugin.file().getParent());
    Files.writeString(plugin.file(), "#!/bin/sh\necho mine\n");
    assertEquals(State.FOREIGN, plugin.state());
    assertThrows(UserError.class, () -> plugin.install(false));
    assertThrows(UserError.class, plugin::uninstall);
    assertEquals("#!/bin/sh\necho mine\n", Files.readString(plugin.file()));
    assertEquals(State.FOREIGN, plugin.install(true));
    assertEquals(State.CURRENT, plugin.state());
  }

  @Test
  void aLinkIsForeignAndWhatItLeadsToStays() throws Exception {
    Files.createDirectories(plugin.file().getParent());
    Path target = directory.resolve("target");
    Files.writeString(target, "mine");
    Files.createSymbolicLink(plugin.file(), target);
    assertThrows(UserError.class, () -> plugin.install(false));
    var _ = plugin.install(true);
    assertEquals("mine", Files.readString(target));
    assertFalse(Files.isSymbolicLink(plugin.file()));
  }

  @Test
  void wordsArePassedOnAsTheyAre() throws Exception {
    var _ = plugin.install(false);
    assertEquals("log|--tail|5 0|*|0", run(Map.of(), "log", "--tail", "5 0", "*"));
    assertEquals("status|0", run(Map.of()));
  }

  @Test
  void jsonIsAskedForWhereItCanBe() throws Exception {
    var _ = plugin.install(false);
    Map<String, String> json = Map.of("NTM_JSON", "1");
    assertEquals("status|--json|0", run(json));
    assertEquals("log|--json|--tail|5|0", run(json, "log", "--tail", "5"));
    assertEquals("status|--json|0", run(json, "status", "--json"));
    assertEquals("env|--agent|x|0", run(json, "env", "--agent", "x"));
    assertEquals(
        "profile|--json|/m|--|tool|--json|0", run(json, "profile", "/m", "--", "tool", "--json"));
  }

  @Test
  void initHasAFolderIfNobodyNamesOne() throws Exception {
    var _ = plugin.install(false);
    assertEquals(
        "init|--workers|fmd,yto|/var/lib/ntm/hypersync|0",
        run(Map.of(), "init", "--workers", "fmd,yto"));
    assertEquals(
        "init|--workers=fmd|/srv/x|0",
        run(Map.of("HYPERSYNC_WORKSPACE_DIR", "/srv/x"), "init", "--workers=fmd"));
    assertEquals(
        "init|/srv/team|--workers|fmd|0", run(Map.of(), "init", "/srv/team", "--workers", "fmd"));
    assertEquals("init|--help|0", run(Map.of(), "init", "--help"));
  }

  @ParameterizedTest
  @CsvSource({
    "log,    0,   0",
    "log,    1,   1",
    "log,    2,   1", // a command line that makes no sense is an error of NTM, too
    "log,    70,  1",
    "status, 1,   2", // no daemon
    "robot,  2,   2",
    "robot,  1,   1",
  })
  void exitCodesAreThoseOfNtm(String command, int ours, int ntms) throws Exception {
    var _ = plugin.install(false);
    String said = run(Map.of("CODE", String.valueOf(ours)), command);
    assertEquals(command + "|" + ntms, said);
  }

  @Test
  void withoutItsHypersyncItIsNotAvailable() throws Exception {
    var _ = plugin.install(false);
    Files.delete(launcher);
    assertEquals("2", run(Map.of(), "status"));
  }

  @Test
  void ntmsFolderIsWhereNtmLooks() {
    assertEquals(
        Path.of("/h/.config/ntm/commands/hypersync"),
        NtmConfigDirectory.of(Map.of("HOME", "/h")).plugin());
    assertEquals(
        Path.of("/x/ntm/config.toml"),
        NtmConfigDirectory.of(Map.of("HOME", "/h", "XDG_CONFIG_HOME", "/x")).configFile());
    assertEquals(
        Path.of("/etc/n/commands/hypersync"),
        NtmConfigDirectory.of(
                Map.of("HOME", "/h", "XDG_CONFIG_HOME", "/x", "NTM_CONFIG", "/etc/n/my.toml"))
            .plugin());
    assertThrows(UserError.class, () -> NtmConfigDirectory.of(Map.of()));
  }
}
