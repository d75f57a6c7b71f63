package io.hypersync.worker.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where the name of a process's agent is found, and what counts as one. */
final class AgentResolverTest {
  private static final String MOUNT = "/ntmfs/ws/team";
  private static final String PROJECT = MOUNT + "/payments";
  private static final int PID = 4711;
  private static final int SHELL = 4000;
  private static final long NOW_S = 1_800_000_000;
  private static final long DAY_S = 24 * 60 * 60;

  private final FakeProcesses processes = new FakeProcesses();

  private String resolved() {
    return resolved(PID);
  }

  private String resolved(int tid) {
    return new AgentResolver(processes, MOUNT).resolve(tid, NOW_S);
  }

  private static String hash(String algorithm, String project) {
    try {
      byte[] hash =
          MessageDigest.getInstance(algorithm).digest(project.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash).substring(0, 12);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  // The environment.

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          HYPERSYNC_AGENT=BlueLake                         | BlueLake
          AGENT_MAIL_AGENT=BlueLake                        | BlueLake
          AGENT_NAME=BlueLake                              | BlueLake
          NTM_AGENT_NAME=BlueLake                          | BlueLake
          NTM_AGENT_NAME=D AGENT_NAME=C AGENT_MAIL_AGENT=B HYPERSYNC_AGENT=A | A
          NTM_AGENT_NAME=D AGENT_NAME=C AGENT_MAIL_AGENT=B | B
          NTM_AGENT_NAME=D AGENT_NAME=C                    | C
          HYPERSYNC_AGENT= AGENT_NAME=C                    | C
          HYPERSYNC_AGENT=A HYPERSYNC_AGENT=B              | A
          MY_AGENT_NAME=A                                  | ''
          AGENT_NAME                                       | ''
          AGENT_NAMES=A                                    | ''
          HYPERSYNC_AGENT=A=B                              | A=B
          """)
  void theEnvironmentNamesTheAgent(String variables, String name) {
    processes.process(PID, 1, variables.split(" "));
    assertEquals(name, resolved());
  }

  @Test
  void aNameMayHaveBlanksWithinButNotAround() {
    processes.process(PID, 1, "AGENT_NAME= Blue Lake\t");
    assertEquals("Blue Lake", resolved());
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "'a terminal''s escape', '\u001b[31mRed'",
    "'two lines',            'Blue\nLake'",
    "'a NEL',                'Blue\u0085Lake'",
    "'a line separator',     'Blue\u2028Lake'",
    "'a DEL',                'Blue\u007f'",
    "'another direction',    'Blue\u202eLake'",
    "'a width of nothing',   'Blue\u200bLake'",
    "'blanks',               '   '",
  })
  void whatCouldFoolWhoReadsItIsNoName(String what, String hostile) {
    processes.process(PID, 1, "HYPERSYNC_AGENT=" + hostile, "AGENT_NAME=BlueLake");
    assertEquals("BlueLake", resolved(), what);
  }

  @Test
  void aNameHasAtMost255Bytes() {
    processes.process(PID, 1, "HYPERSYNC_AGENT=" + "x".repeat(255));
    assertEquals("x".repeat(255), resolved());
    processes.process(PID, 1, "HYPERSYNC_AGENT=" + "x".repeat(256));
    assertEquals("", resolved());
    processes.process(PID, 1, "HYPERSYNC_AGENT=" + "ä".repeat(128));
    assertEquals("", resolved());
    processes.process(PID, 1, "HYPERSYNC_AGENT=" + "ä".repeat(127));
    assertEquals("ä".repeat(127), resolved());
  }

  @Test
  void anEnvironmentInAnotherEncodingIsRead() {
    byte[] block = FakeProcesses.block("LATIN=x", "HYPERSYNC_AGENT=Bl.e", "AGENT_NAME=Lake");
    block[6] = (byte) 0xe4;
    processes.process(PID, 1, block.clone());
    assertEquals("Bl.e", resolved());
    block["LATIN=x ".length() + "HYPERSYNC_AGENT=Bl".length()] = (byte) 0xfc; // no UTF-8
    processes.process(PID, 1, block);
    assertEquals("Lake", resolved());
  }

  @Test
  void aVariableThatWasCutIsNone() {
    byte[] block = FakeProcesses.block("A=1", "HYPERSYNC_AGENT=BlueLake");
    processes.process(PID, 1, Arrays.copyOf(block, block.length - 4));
    assertEquals("", resolved());
  }

  @Test
  void aThreadHasTheNameOfItsProcess() {
    processes.process(PID, 1, "AGENT_NAME=BlueLake").thread(PID + 1, PID);
    assertEquals("BlueLake", resolved(PID + 1));
  }

  @Test
  void whoIsNotVisibleHasNoName() {
    assertEquals("", resolved(0));
    assertEquals("", resolved(PID));
  }

  // Ancestors.

  @Test
  void theNearestAncestorWithANameCounts() {
    processes
        .process(PID, SHELL, "A=1")
        .process(SHELL, 300, "A=1")
        .process(300, 200, "AGENT_NAME=Near")
        .process(200, 1, "AGENT_NAME=Far");
    assertEquals("Near", resolved());
  }

  @Test
  void aProcessIsNotNamedByTheFirstOne() {
    processes.process(1, 0, "AGENT_NAME=Init").process(PID, 1, "A=1");
    assertEquals("", resolved());
    assertEquals("Init", resolved(1), "unless it is the caller, as in a container");
  }

  @ParameterizedTest
  @CsvSource({"32, Top", "33, ''"})
  void thirtyTwoAncestorsAreLookedAt(int depth, String name) {
    for (int at = 0; at < depth; at++) {
      processes.process(1000 + at, 1000 + at + 1, "A=1");
    }
    processes.process(1000 + depth, 1, "AGENT_NAME=Top");
    assertEquals(name, resolved(1000));
  }

  @Test
  void aCircleOfParentsEnds() {
    processes.process(PID, SHELL, "A=1").process(SHELL, PID, "A=1");
    assertEquals("", resolved());
  }

  // Identity files.

  private void paneOf(int pid, int parent, String pane, String... more) {
    String[] all = Arrays.copyOf(more, more.length + 2);
    all[more.length] = "TMUX_PANE=" + pane;
    all[more.length + 1] = "HOME=/home/dev";
    processes.process(pid, parent, all).in(pid, PROJECT + "/src/api");
  }

  private static String config(String base, String project, String pane) {
    return base + "/agent-mail/identity/" + hash("SHA-1", project) + "/" + pane;
  }

  private static String state(String project, String pane) {
    return "/home/dev/.local/state/agent-mail/identity/" + hash("SHA-256", project) + "/" + pane;
  }

  private static String temporary(String project, String pane) {
    return "/tmp/agent-mail-name." + hash("SHA-1", project) + "." + pane;
  }

  @Test
  void theHashIsTheOneThatTheToolsMake() {
    // printf %s /ntmfs/ws/team/payments | sha1sum, sha256sum
    assertEquals("99d45ac7f46c", hash("SHA-1", PROJECT));
    assertEquals("2363c6a724fc", hash("SHA-256", PROJECT));
  }

  @ParameterizedTest(name = "{0} of pane {1}")
  @CsvSource({
    "config, %12",
    "config, session:0:2",
    "config, 12",
    "state, %12",
    "tmp, %12",
    "tmp-percent, %12",
    "claude, %12",
    "claude-percent, %12",
  })
  void eachFileNamesTheAgent(String kind, String pane) {
    paneOf(PID, 1, pane);
    String bare = pane.replace("%", "").replace(':', '-');
    String path =
        switch (kind) {
          case "config" -> config("/home/dev/.config", PROJECT, bare);
          case "state" -> state(PROJECT, "%" + bare);
          case "tmp" -> temporary(PROJECT, bare);
          case "tmp-percent" -> temporary(PROJECT, "%" + bare);
          case "claude" -> "/home/dev/.claude/agent-mail/identity." + bare;
          default -> "/home/dev/.claude/agent-mail/identity.%" + bare;
        };
    processes.file(path, FakeProcesses.USER, NOW_S, "BlueLake\n");
    assertEquals("BlueLake", resolved());
  }

  @Test
  void theFilesHaveAnOrder() {
    paneOf(PID, 1, "%12");
    processes.file("/home/dev/.claude/agent-mail/identity.12", FakeProcesses.USER, 0, "Claude");
    assertEquals("Claude", resolved());
    processes.file(temporary(PROJECT, "12"), FakeProcesses.USER, 0, "Tmp");
    assertEquals("Tmp", resolved());
    processes.file(state(PROJECT, "%12"), FakeProcesses.USER, NOW_S, "State");
    assertEquals("State", resolved());
    processes.file(config("/home/dev/.config", PROJECT, "12"), FakeProcesses.USER, 0, "Config");
    assertEquals("Config", resolved());
  }

  @Test
  void theEnvironmentCountsBeforeTheFile() {
    paneOf(PID, 1, "%12", "AGENT_NAME=Environment");
    processes.file(config("/home/dev/.config", PROJECT, "12"), FakeProcesses.USER, 0, "File");
    assertEquals("Environment", resolved());
  }

  @Test
  void theFileCountsBeforeTheAncestor() {
    processes.process(SHELL, 1, "AGENT_NAME=Ancestor");
    paneOf(PID, SHELL, "%12");
    processes.file(config("/home/dev/.config", PROJECT, "12"), FakeProcesses.USER, 0, "File");
    assertEquals("File", resolved());
  }

  @Test
  void anAncestorsPaneCounts() {
    paneOf(SHELL, 1, "%7");
    processes.process(PID, SHELL, "A=1");
    processes.file(config("/home/dev/.config", PROJECT, "7"), FakeProcesses.USER, 0, "BlueLake");
    assertEquals("BlueLake", resolved());
  }

  @Test
  void theNearestProjectCountsUpToTheRootOfTheMount() {
    paneOf(PID, 1, "%12");
    processes.file(config("/home/dev/.config", "/ntmfs/ws", "12"), FakeProcesses.USER, 0, "Above");
    assertEquals("", resolved(), "a folder above the mount is no project of it");
    processes.file(config("/home/dev/.config", MOUNT, "12"), FakeProcesses.USER, 0, "Root");
    assertEquals("Root", resolved());
    processes.file(config("/home/dev/.config", PROJECT, "12"), FakeProcesses.USER, 0, "Project");
    assertEquals("Project", resolved());
  }

  @Test
  void aFolderBesideTheMountIsNoProjectOfIt() {
    paneOf(PID, 1, "%12");
    processes.in(PID, MOUNT + "work");
    processes.file(
        config("/home/dev/.config", MOUNT + "work", "12"), FakeProcesses.USER, 0, "Beside");
    assertEquals("", resolved());
  }

  @Test
  void theFolderOfConfigurationMayBeAnotherOne() {
    paneOf(PID, 1, "%12", "XDG_CONFIG_HOME=/etc/dev");
    processes.file(config("/home/dev/.config", PROJECT, "12"), FakeProcesses.USER, 0, "Default");
    assertEquals("", resolved());
    processes.file(config("/etc/dev", PROJECT, "12"), FakeProcesses.USER, 0, "Other");
    assertEquals("Other", resolved());
  }

  @Test
  void aFileOfSomebodyElseSaysNothing() {
    paneOf(PID, 1, "%12");
    processes.file(temporary(PROJECT, "12"), FakeProcesses.USER + 1, NOW_S, "Forged");
    assertEquals("", resolved());
    processes.file(temporary(PROJECT, "12"), 0, NOW_S, "Forged");
    assertEquals("", resolved());
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "a line of now,            'Lake\n1800000000\n', 0,          Lake",
    "a line of a day ago,      'Lake\n1799913600\n', 0,          Lake",
    "an older line,            'Lake\n1799913599\n', 1800000000, ''",
    "no line and a new file,   'Lake\n',             1799913600, Lake",
    "no line and an old file,  'Lake\n',             1799913599, ''",
    "no number and a new file, 'Lake\nx\n',          1800000000, Lake",
  })
  void aDatedFileCountsForADay(String what, String content, long mtimeS, String name) {
    assertEquals(NOW_S - DAY_S, 1_799_913_600);
    paneOf(PID, 1, "%12");
    processes.file(state(PROJECT, "%12"), FakeProcesses.USER, mtimeS, content);
    assertEquals(name, resolved(), what);
  }

  @Test
  void anOldFileWithoutDateCounts() {
    paneOf(PID, 1, "%12");
    processes.file(config("/home/dev/.config", PROJECT, "12"), FakeProcesses.USER, 0, "Lake\n");
    assertEquals("Lake", resolved());
  }

  @ParameterizedTest
  @CsvSource({"../../etc/passwd", "..", "%", "a/b", "'%1 2'", "'\u00e4'"})
  void aPaneLeadsNowhereElse(String pane) {
    paneOf(PID, 1, pane);
    String bare = pane.startsWith("%") ? pane.substring(1) : pane;
    processes.file(
        "/home/dev/.claude/agent-mail/identity." + bare, FakeProcesses.USER, NOW_S, "Forged");
    assertEquals("", resolved());
  }

  @Test
  void aHomeThatIsNoPathIsNone() {
    processes.process(PID, 1, "TMUX_PANE=%1", "HOME=home").in(PID, PROJECT);
    processes.file("home/.claude/agent-mail/identity.1", FakeProcesses.USER, NOW_S, "Forged");
    assertEquals("", resolved());
  }

  @Test
  void aHostileFileNamesNobody() {
    paneOf(PID, 1, "%12");
    processes.file(temporary(PROJECT, "12"), FakeProcesses.USER, NOW_S, "\u001b]0;owned\u0007");
    assertEquals("", resolved());
    processes.file(temporary(PROJECT, "12"), FakeProcesses.USER, NOW_S, "x".repeat(4_096));
    assertEquals("", resolved());
  }
}
