package io.hypersync.cli.ntm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.hypersync.cli.ntm.Finding.Severity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tomlj.Toml;
import org.tomlj.TomlParseResult;

/** Each thing that keeps agents from working is found, and has a remedy. */
final class NtmChecksTest {
  @TempDir Path directory;

  private Path mount;
  private Path proc;
  private Path home;

  @BeforeEach
  void make() throws IOException {
    mount = Files.createDirectory(directory.resolve("mount"));
    proc = Files.createDirectory(directory.resolve("proc"));
    home = Files.createDirectory(directory.resolve("home"));
  }

  private String worker(boolean isReadOnly) {
    return "{'mount':'"
        + mount
        + "','read_only':"
        + isReadOnly
        + ",'link':'down','link_reason':'no answer','leader':'main:7890'}";
  }

  private List<Finding> check(String status, Optional<Path> project) throws IOException {
    return check(status, project, Map.of("HOME", home.toString()));
  }

  private List<Finding> check(
      String status, Optional<Path> project, Map<String, String> environment) throws IOException {
    List<Finding> found =
        new NtmChecks(new ObjectMapper().readTree(status.replace('\'', '"')), environment, proc)
            .all(
                new NtmPlugin(directory.resolve("commands/hypersync"), Path.of("/x/hypersync")),
                project,
                false);
    for (Finding each : found) {
      assertEquals(each.severity() == Severity.OK, each.remedy().isEmpty(), each::toString);
    }
    return found;
  }

  private static List<String> of(List<Finding> findings, String name) {
    return findings.stream()
        .filter(each -> each.name().equals(name))
        .map(each -> each.severity() + " " + each.detail())
        .toList();
  }

  @Test
  void noMountIsAnError() throws IOException {
    List<String> found = of(check("{'workers':[],'leaders':[]}", Optional.empty()), "mount");
    assertEquals(List.of("ERROR no workspace is mounted here"), found);
  }

  @Test
  void aMountThatCanBeWrittenIsFine() throws IOException {
    List<Finding> found =
        check("{'workers':[" + worker(false) + "],'leaders':[]}", Optional.empty());
    assertTrue(of(found, "mount").getFirst().startsWith("OK "), found::toString);
    assertTrue(of(found, "mount_path").getFirst().startsWith("WARNING "), found::toString);
    assertTrue(of(found, "plugin").getFirst().startsWith("WARNING ntm has no"), found::toString);
  }

  @Test
  void aReadOnlyMountIsAnError() throws IOException {
    List<Finding> found = check("{'workers':[" + worker(true) + "]}", Optional.empty());
    assertTrue(
        of(found, "mount").getFirst().startsWith("ERROR " + mount + " refuses changes"),
        found::toString);
  }

  @Test
  void aProjectMustBeOnAMount() throws IOException {
    String status = "{'workers':[" + worker(false) + "]}";
    assertTrue(of(check(status, Optional.of(home)), "mount").getFirst().startsWith("ERROR "));
    assertTrue(
        of(check(status, Optional.of(mount.resolve("payments"))), "mount")
            .getFirst()
            .startsWith("OK "));
  }

  @Test
  void databasesInWalModeAreFound() throws IOException {
    Path beads = Files.createDirectories(mount.resolve("payments/.beads"));
    Files.write(beads.resolve("beads.db"), header(2));
    Files.write(beads.resolve("fine.db"), header(1));
    Files.writeString(beads.resolve("text.db"), "no database");
    Files.write(Files.createDirectories(mount.resolve("a/.git")).resolve("x.db"), header(2));
    List<String> found =
        of(check("{'workers':[" + worker(false) + "]}", Optional.empty()), "wal_database");
    assertEquals(1, found.size(), found::toString);
    assertTrue(found.getFirst().contains("beads.db"), found::toString);
  }

  private static byte[] header(int version) {
    byte[] header = new byte[100];
    byte[] magic = "SQLite format 3\0".getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(magic, 0, header, 0, magic.length);
    header[18] = (byte) version;
    header[19] = (byte) version;
    return header;
  }

  @Test
  void anArchiveWhereNoLeaderIsCannotBeRead() throws IOException {
    Path archive = Files.createDirectory(home.resolve(".mcp_agent_mail_git_mailbox_repo"));
    List<String> found =
        of(check("{'workers':[" + worker(false) + "],'leaders':[]}", Optional.empty()), "archive");
    assertTrue(found.getFirst().startsWith("WARNING Agent Mail has an archive here, " + archive));
    assertTrue(found.getFirst().contains("main:7890"), found::toString);
  }

  @Test
  void anArchiveThatTheLeaderDoesNotReadIsNamed() throws IOException {
    Path archive = Files.createDirectory(directory.resolve("archive"));
    List<String> found =
        of(
            check(
                "{'leaders':[{'workspace_name':'team','reservations':{'source':'none'}}]}",
                Optional.empty(),
                Map.of("STORAGE_ROOT", archive.toString())),
            "archive");
    assertTrue(found.getFirst().contains("does not read"), found::toString);
  }

  @Test
  void anArchiveOnTheMountIsAnError() throws IOException {
    Path archive = Files.createDirectory(mount.resolve("mail"));
    List<String> found =
        of(
            check(
                "{'workers':["
                    + worker(false)
                    + "],'leaders':[{'reservations':{'source':'archive',"
                    + "'fresh':true,'elsewhere':3}}]}",
                Optional.empty(),
                Map.of("STORAGE_ROOT", archive.toString())),
            "archive");
    assertTrue(found.getFirst().startsWith("ERROR "), found::toString);
  }

  @Test
  void reservationsOfOtherPathsTellOfAnotherMountPath() throws IOException {
    List<Finding> found =
        check(
            "{'leaders':[{'workspace_name':'team','reservations':{'source':'archive','fresh':false,"
                + "'last_error':'gone','elsewhere':3}}]}",
            Optional.empty());
    assertTrue(of(found, "mount_path").getFirst().contains("3 reservations"), found::toString);
    assertTrue(of(found, "archive").getFirst().contains("gone"), found::toString);
  }

  @Test
  void anAgentMailServerThatWorksOnTheMountIsAnError() throws IOException {
    server(11, mount.resolve("payments"));
    server(12, home);
    List<String> found =
        of(check("{'workers':[" + worker(false) + "]}", Optional.empty()), "agent_mail");
    assertEquals(2, found.size(), found::toString);
    assertEquals(1, found.stream().filter(each -> each.startsWith("ERROR ")).count());
  }

  private void server(int pid, Path cwd) throws IOException {
    Path process = Files.createDirectory(proc.resolve(String.valueOf(pid)));
    Files.writeString(process.resolve("cmdline"), "python\0-m\0mcp_agent_mail.cli\0serve-http\0");
    Files.createSymbolicLink(process.resolve("cwd"), cwd);
  }

  @Test
  void theAdviceIsWholeToml() {
    String advice = NtmAdvice.toml(Path.of("/opt/hyper sync/hypersync"), Path.of("/ntmfs/ws/team"));
    TomlParseResult parsed = Toml.parse(advice);
    assertEquals(List.of(), parsed.errors());
    assertEquals("/ntmfs/ws/team", parsed.getString("projects_base"));
    assertEquals(
        "'/opt/hyper sync/hypersync' exec --mount /ntmfs/ws/team -- claude",
        parsed.getString("agents.claude"));
  }
}
