package io.hypersync.cli.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import io.hypersync.model.id.WorkerId;
import io.hypersync.runtime.admin.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a configuration file may contain, and the errors about anything else. */
final class ConfigurationReaderTest {
  @TempDir Path directory;

  /** The example of hypersync.md 16.1, word for word. */
  private static final String SPEC_EXAMPLE =
      """
      [hypersync]
      enabled = true
      role = "leader" # or "worker"

      [hypersync.leader]
      bind_address = "0.0.0.0:7890"
      state_dir = "/var/lib/ntm/hypersync"

      [hypersync.replication]
      symbol_size = 1280
      repair_overhead = 0.10
      max_inflight_entries = 1000

      [hypersync.snapshots]
      interval = "5m"
      retain = 288
      catchup_log_threshold_entries = 200000

      [hypersync.scheduler]
      max_agents_per_worker = 40
      max_sync_lag_ms = 50
      max_commit_rtt_ms = 200
      """;

  private Path file() {
    return directory.resolve("hypersync.toml");
  }

  private Configuration read(String toml) throws IOException {
    Files.writeString(file(), toml);
    return new ConfigurationReader().withFile(file());
  }

  @Test
  void theExampleOfTheSpecificationIsRead() throws IOException {
    Configuration configuration = read(SPEC_EXAMPLE);
    assertEquals(Optional.of(Role.LEADER), configuration.find(Settings.ROLE));
    assertEquals(new HostPort("0.0.0.0", 7890), configuration.get(Settings.LEADER_BIND_ADDRESS));
    assertEquals(
        Optional.of(Path.of("/var/lib/ntm/hypersync")),
        configuration.findPath(Settings.LEADER_STATE_DIR));
    assertEquals(Duration.ofMinutes(5), configuration.get(Settings.SNAPSHOTS_INTERVAL));
    assertEquals(288, configuration.get(Settings.SNAPSHOTS_RETAIN));
    assertEquals(0.10, configuration.get(Settings.REPLICATION_REPAIR_OVERHEAD));
  }

  @Test
  void whatIsNotSaidHasTheDefaultsOfTheSpecification() throws IOException {
    Configuration configuration = read("");
    assertEquals(100, configuration.get(Settings.LEADER_BATCH_MAX_OPS));
    assertEquals(1 << 20, configuration.get(Settings.LEADER_BATCH_MAX_BYTES));
    assertEquals(10_000, configuration.get(Settings.LEADER_MAX_PENDING_INTENTS));
    assertEquals(Duration.ofSeconds(30), configuration.get(Settings.WORKER_MUTATION_DEADLINE));
    assertEquals(Duration.ofMillis(250), configuration.get(Settings.WORKER_LEADER_STALE));
    assertEquals(Optional.empty(), configuration.find(Settings.WORKER_ID));
  }

  @Test
  void aWorkersRateIsLimitedOnlyWhereThatIsSaid() throws IOException {
    Configuration none = read("");
    assertEquals(0, none.get(Settings.LEADER_INTENT_RATE_LIMIT_OPS));
    assertEquals(0, none.get(Settings.LEADER_INTENT_RATE_LIMIT_BYTES));
    Configuration said =
        read(
            """
            [hypersync.leader]
            intent_rate_limit_ops = 500
            intent_burst_ops = 50
            intent_rate_limit_bytes = "50MB"
            """);
    assertEquals(500, said.get(Settings.LEADER_INTENT_RATE_LIMIT_OPS));
    assertEquals(50, said.get(Settings.LEADER_INTENT_BURST_OPS));
    assertEquals(50_000_000, said.get(Settings.LEADER_INTENT_RATE_LIMIT_BYTES));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          bind_addres = "0.0.0.0:1"       | :2: unknown key "hypersync.leader.bind_addres"; did you mean "bind_address"?
          colour = "red"                  | :2: unknown key "hypersync.leader.colour"
          inner.thing = 5                 | :2: unknown key "hypersync.leader.inner"
          bind_address = "0.0.0.0"        | :2: hypersync.leader.bind_address: expected an address such as "10.0.0.1:7890" or "[::1]:7890", got "0.0.0.0"
          bind_address = "0.0.0.0:70000"  | :2: hypersync.leader.bind_address: expected an address such as "10.0.0.1:7890" or "[::1]:7890", got "0.0.0.0:70000"
          bind_address = "::1:7890"       | :2: hypersync.leader.bind_address: expected an address such as "10.0.0.1:7890" or "[::1]:7890", got "::1:7890"
          bind_address = 7890             | :2: hypersync.leader.bind_address: expected an address such as "10.0.0.1:7890" or "[::1]:7890", got the number 7890
          state_dir = ""                  | :2: hypersync.leader.state_dir: expected a path, got ""
          state_dir = ["a"]               | :2: hypersync.leader.state_dir: expected a path, got an array
          lock_grace = "1 fortnight"      | :2: hypersync.leader.lock_grace: expected a duration from 100ms to 1h, such as "250ms" or "5m" (units: us, ms, s, m, h, d), got "1 fortnight"
          lock_grace = 1                  | :2: hypersync.leader.lock_grace: expected a duration from 100ms to 1h, such as "250ms" or "5m" (units: us, ms, s, m, h, d), got the number 1
          lock_grace = "2h"               | :2: hypersync.leader.lock_grace: expected a duration from 100ms to 1h, such as "250ms" or "5m" (units: us, ms, s, m, h, d), got "2h"
          lock_grace = "-1ms"             | :2: hypersync.leader.lock_grace: expected a duration from 100ms to 1h, such as "250ms" or "5m" (units: us, ms, s, m, h, d), got "-1ms"
          batch_max_bytes = "1 MiBit"     | :2: hypersync.leader.batch_max_bytes: expected a size from 4KiB to 1GiB, such as "64KiB" or "1MiB" (units: B, KiB, MiB, GiB, kB, MB, GB), got "1 MiBit"
          batch_max_bytes = "99999999999999999GiB" | :2: hypersync.leader.batch_max_bytes: expected a size from 4KiB to 1GiB, such as "64KiB" or "1MiB" (units: B, KiB, MiB, GiB, kB, MB, GB), got "99999999999999999GiB"
          batch_max_ops = 0               | :2: hypersync.leader.batch_max_ops: expected a whole number from 1 to 100000, got the number 0
          batch_max_ops = 1.5             | :2: hypersync.leader.batch_max_ops: expected a whole number from 1 to 100000, got the number 1.5
          intent_rate_limit_ops = -1      | :2: hypersync.leader.intent_rate_limit_ops: expected a whole number from 0 to 10000000, got the number -1
          intent_burst_ops = 0            | :2: hypersync.leader.intent_burst_ops: expected a whole number from 1 to 10000000, got the number 0
          intent_rate_limit_bytes = "9GiB" | :2: hypersync.leader.intent_rate_limit_bytes: expected a size from 0B to 8GiB, such as "64KiB" or "1MiB" (units: B, KiB, MiB, GiB, kB, MB, GB), got "9GiB"
          batch_max_ops = 20000           | :2: hypersync.leader.batch_max_ops (20000) must not be more than hypersync.leader.max_pending_intents (10000)
          """)
  void aWrongLineIsNamedWithItsKeyAndWhatWasExpected(String line, String message)
      throws IOException {
    assertMessage("[hypersync.leader]\n" + line, message);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          [hypersync];enabled = "yes"                              | :2: hypersync.enabled: expected true or false, got "yes"
          [hypersync];role = "boss"                                | :2: hypersync.role: expected "leader" or "worker", got "boss"
          [hypersync];role = 2020-01-01                            | :2: hypersync.role: expected "leader" or "worker", got the date or time 2020-01-01
          [hypersync.replicaton];symbol_size = 1280                | :1: unknown key "hypersync.replicaton"; did you mean "replication"?
          [hypersink];enabled = true                               | :1: unknown key "hypersink"; did you mean [hypersync]?
          ;[hypersync.worker];id = "-x"                            | :3: hypersync.worker.id: expected a worker's name: 1 to 63 letters, digits, '.', '_' or '-', starting with a letter or digit, got "-x"
          [hypersync.worker];leader_timeout = "100ms"              | :2: hypersync.worker.leader_stale ("250ms") must not be more than hypersync.worker.leader_timeout ("100ms")
          [hypersync.worker];cache_max = "1MiB"                    | :2: hypersync.worker.cache_max must be at least 16MiB, or 0B for no limit
          [hypersync.worker];fuse_backend = "fuse"                 | :2: hypersync.worker.fuse_backend: expected "kernel" or "jnr", got "fuse"
          [hypersync.worker];fuse_backend = "jnr";inotify = true   | :3: hypersync.worker.inotify needs fuse_backend = "kernel": through libfuse 2 nothing can be told to the kernel
          [hypersync.worker];fuse_backend = "jnr";inotify = false;takeover_timeout = "30s" | :4: hypersync.worker.takeover_timeout needs fuse_backend = "kernel": through libfuse 2 no mount is taken over
          [hypersync.worker];mount = "/m";local_dir = "/m/./"      | :3: hypersync.worker.local_dir must be another folder than hypersync.worker.mount
          [hypersync.agent_mail];archive = "mail"                  | :2: hypersync.agent_mail.archive: expected an absolute path, or "" for none, got "mail"
          [hypersync.agent_mail];mount_paths = "/ws,team"          | :2: hypersync.agent_mail.mount_paths: expected absolute paths with commas between them, got "/ws,team"
          [hypersync.agent_mail];url = "mail.local:8765"           | :2: hypersync.agent_mail.url: expected a URL such as "http://127.0.0.1:8765/mcp/", or "" for none, got "mail.local:8765"
          [hypersync.agent_mail];url = "http://me:pw@h/mcp/"       | :2: hypersync.agent_mail.url: expected a URL such as "http://127.0.0.1:8765/mcp/", or "" for none, got "http://***@h/mcp/"
          [hypersync.agent_mail];url = "file:///etc/passwd"        | :2: hypersync.agent_mail.url: expected a URL such as "http://127.0.0.1:8765/mcp/", or "" for none, got "file:///etc/passwd"
          [hypersync.agent_mail];token_file = "token"              | :2: hypersync.agent_mail.token_file: expected an absolute path, or "" for none, got "token"
          [hypersync.agent_mail];messages = "yes"                  | :2: hypersync.agent_mail.messages: expected one of "off", "on", got "yes"
          [hypersync.agent_mail];messages = "on"                   | :2: hypersync.agent_mail.messages needs hypersync.agent_mail.url, where Agent Mail's server answers
          [hypersync.agent_mail];enforce = "on"                    | :2: hypersync.agent_mail.enforce needs a source of reservations: hypersync.agent_mail.archive or hypersync.agent_mail.url
          [hypersync.replication];symbol_size = 1001               | :2: hypersync.replication.symbol_size must be a multiple of 8
          [hypersync.replication];multicast_group = "10.0.0.1:7471" | :2: hypersync.replication.multicast_group: expected a multicast address and a port such as "239.255.72.83:7471" or "[ff15::4853]:7471", got "10.0.0.1:7471"
          [hypersync.replication];multicast_group = "group.local:7471" | :2: hypersync.replication.multicast_group: expected a multicast address and a port such as "239.255.72.83:7471" or "[ff15::4853]:7471", got "group.local:7471"
          [hypersync.replication];multicast_group = "239.1.1.1:0"  | :2: hypersync.replication.multicast_group: expected a multicast address and a port such as "239.255.72.83:7471" or "[ff15::4853]:7471", got "239.1.1.1:0"
          [hypersync.replication];multicast_interface = "eth 0"    | :2: hypersync.replication.multicast_interface: expected the name of a network interface, or "", got "eth 0"
          [hypersync.replication];multicast_rate = "1KiB"          | :2: hypersync.replication.multicast_rate: expected a size from 64KiB to 8GiB, such as "64KiB" or "1MiB" (units: B, KiB, MiB, GiB, kB, MB, GB), got "1KiB"
          [hypersync.replication];repair_overhead = -0.1           | :2: hypersync.replication.repair_overhead: expected a number from 0.0 to 4.0, got the number -0.1
          [hypersync.replication];repair_overhead = nan            | :2: hypersync.replication.repair_overhead: expected a number from 0.0 to 4.0, got the number NaN
          """)
  void aWrongFileIsNamedWithItsLine(String lines, String message) throws IOException {
    assertMessage(lines.replace(';', '\n'), message);
  }

  private void assertMessage(String toml, String message) throws IOException {
    UserError error = assertThrows(UserError.class, () -> read(toml));
    assertEquals(file() + message, error.message());
    assertEquals(UserError.USAGE, error.exitCode());
  }

  @Test
  void aKeyThatOnlyEarlierVersionsHadIsIgnoredWithAWord() throws IOException {
    Configuration configuration =
        read("[hypersync.leader]\nbatch_window = \"1ms\"\nbatch_max_ops = 7\n");
    assertEquals(7, configuration.get(Settings.LEADER_BATCH_MAX_OPS));
    assertEquals(1, configuration.ignored().size());
    String said = configuration.ignored().getFirst();
    assertTrue(
        said.startsWith(file() + ":2: hypersync.leader.batch_window is ignored: "), () -> said);
    ConfigurationReader flags = new ConfigurationReader();
    flags.assignment("--set", "hypersync.leader.batch_window=1ms");
    assertTrue(
        flags
            .withoutFile()
            .ignored()
            .getFirst()
            .startsWith("--set: hypersync.leader.batch_window is ignored: "));
  }

  @Test
  void whatIsNotTomlIsNamedWithItsLine() {
    UserError error = assertThrows(UserError.class, () -> read("[hypersync]\nenabled true\n"));
    assertEquals(file() + ":2: not TOML:", error.message().replaceAll("(not TOML:).*", "$1"));
  }

  @Test
  void anUnknownKeyListsTheKnownOnes() {
    UserError error =
        assertThrows(UserError.class, () -> read("[hypersync.snapshots]\nkeep = 1\n"));
    assertEquals(
        "[hypersync.snapshots] has: interval, retain, retain_daily, retain_bytes,"
            + " catchup_log_threshold_entries, max_lag_entries, max_lag_time",
        error.hint());
  }

  @Test
  void anArchiveOfReservationsIsReadOnlyWhereThatIsSaid() throws IOException {
    Configuration none = read("[hypersync.agent_mail]\narchive = \"\"\n");
    assertEquals("", none.get(Settings.AGENT_MAIL_ARCHIVE));
    assertEquals(List.of(), none.get(Settings.AGENT_MAIL_MOUNT_PATHS));
    Configuration said =
        read(
            """
            [hypersync.agent_mail]
            archive = "/home/me/mail/"
            mount_paths = "/ntmfs/ws/team/, /mnt/team"
            """);
    assertEquals("/home/me/mail", said.get(Settings.AGENT_MAIL_ARCHIVE));
    assertEquals(List.of("/ntmfs/ws/team", "/mnt/team"), said.get(Settings.AGENT_MAIL_MOUNT_PATHS));
  }

  @Test
  void agentMailsServerIsAskedOnlyWhereThatIsSaid() throws IOException {
    Configuration none = read("");
    assertEquals("", none.get(Settings.AGENT_MAIL_URL));
    assertEquals(Switch.OFF, none.get(Settings.AGENT_MAIL_MESSAGES));
    assertEquals(Switch.OFF, none.get(Settings.AGENT_MAIL_ENFORCE));
    Configuration said =
        read(
            """
            [hypersync.agent_mail]
            url = "http://127.0.0.1:8765/mcp/"
            token_file = "/root/mail.token"
            messages = "on"
            projects = "/ntmfs/ws/team/pay, /ntmfs/ws/team/web"
            enforce = "on"
            """);
    assertEquals("http://127.0.0.1:8765/mcp/", said.get(Settings.AGENT_MAIL_URL));
    assertEquals("/root/mail.token", said.get(Settings.AGENT_MAIL_TOKEN_FILE));
    assertEquals(Switch.ON, said.get(Settings.AGENT_MAIL_MESSAGES));
    assertEquals(Switch.ON, said.get(Settings.AGENT_MAIL_ENFORCE));
    assertEquals(
        List.of("/ntmfs/ws/team/pay", "/ntmfs/ws/team/web"),
        said.get(Settings.AGENT_MAIL_PROJECTS));
  }

  @Test
  void aMissingFileIsNamedWithWhatToDo() {
    UserError error =
        assertThrows(UserError.class, () -> new ConfigurationReader().withFile(file()));
    assertEquals("there is no configuration file " + file(), error.message());
    assertEquals(
        "Make a workspace with one: ./hypersync init <dir>\nor name another: --config <file>",
        error.hint());
  }

  @Test
  void aFlagIsOverTheFileWhichIsOverTheDefault() throws IOException {
    Files.writeString(
        file(), "[hypersync.worker]\nid = \"fmd\"\nstate_dir = \"state\"\nmount = \"/m\"\n");
    ConfigurationReader reader = new ConfigurationReader();
    reader.flag("--id", Settings.WORKER_ID, "yto");
    reader.assignment("--set", "hypersync.worker.mutation_deadline=5s");
    Configuration configuration = reader.withFile(file());
    assertEquals(Optional.of(new WorkerId("yto")), configuration.find(Settings.WORKER_ID));
    assertEquals(Duration.ofSeconds(5), configuration.get(Settings.WORKER_MUTATION_DEADLINE));
    assertEquals(
        Optional.of(directory.resolve("state")),
        configuration.findPath(Settings.WORKER_STATE_DIR),
        "a path in a file is relative to the file");
  }

  @ParameterizedTest(name = "--set {0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          hypersync.leader.batch_max_ops     | --set: expected KEY=VALUE, got "hypersync.leader.batch_max_ops"
          hypersync.leader.batch_max_ops=ten | --set: hypersync.leader.batch_max_ops: expected a whole number from 1 to 100000, got "ten"
          hypersync.leader.batch_max_op=1    | --set: unknown key "hypersync.leader.batch_max_op"; did you mean "batch_max_ops"?
          enabled=true                       | --set: unknown key "enabled"
          """)
  void aWrongFlagIsNamed(String assignment, String message) {
    UserError error =
        assertThrows(
            UserError.class, () -> new ConfigurationReader().assignment("--set", assignment));
    assertEquals(message, error.message());
  }

  @Test
  void aSettingWithoutAnyValueSaysWhatWasExpected() {
    Configuration configuration = new ConfigurationReader().withoutFile();
    UserError error =
        assertThrows(UserError.class, () -> configuration.get(Settings.WORKER_LEADER_ADDRESS));
    assertEquals(
        "hypersync.worker.leader_address is not set: expected an address such as"
            + " \"10.0.0.1:7890\" or \"[::1]:7890\", or several with commas between them",
        error.message());
  }

  @Test
  void aVariableIsOverTheFileAndUnderAFlag() throws IOException {
    Files.writeString(file(), "[hypersync.logging]\nlevel = \"warn\"\n");
    ConfigurationReader reader = new ConfigurationReader(Map.of("HYPERSYNC_LOG_LEVEL", "DEBUG"));
    Configuration byVariable = reader.withFile(file());
    assertEquals(LogLevel.DEBUG, byVariable.get(Settings.LOGGING_LEVEL));
    assertEquals("HYPERSYNC_LOG_LEVEL", byVariable.origin(Settings.LOGGING_LEVEL).toString());
    reader.assignment("--set", "hypersync.logging.level=error");
    assertEquals(LogLevel.ERROR, reader.withFile(file()).get(Settings.LOGGING_LEVEL));
    UserError wrong =
        assertThrows(
            UserError.class, () -> new ConfigurationReader(Map.of("HYPERSYNC_LOG_LEVEL", "loud")));
    assertEquals(
        "HYPERSYNC_LOG_LEVEL: hypersync.logging.level: expected one of \"off\", \"error\","
            + " \"warn\", \"info\", \"debug\", \"trace\", \"all\", got \"loud\"",
        wrong.message());
  }

  @ParameterizedTest
  @ValueSource(strings = {"OFF", "off", "Error", "WARN", "info", "Debug", "TRACE", "all"})
  void aVariableMayHaveEachLevelOfLogbackInAnyCase(String level) {
    ConfigurationReader reader = new ConfigurationReader(Map.of("HYPERSYNC_LOG_LEVEL", level));
    LogLevel read = reader.withoutFile().get(Settings.LOGGING_LEVEL);
    assertEquals(Level.toLevel(level, null), Level.toLevel(read.name(), null));
  }

  @Test
  void allThatIsWrongIsFoundAtOnceInTheOrderOfTheLines() throws IOException {
    Files.writeString(
        file(),
        """
        [hypersync.worker]
        leader_timeout = "soon"
        leader_stale = "2h"
        mutation_deadline = "10ms"

        [hypersync.snapshots]
        intervall = "5m"
        [hypersync.replication]
        symbol_size = 1001
        """);
    List<Problem> problems = new ConfigurationReader().problems(file());
    assertEquals(
        List.of(2, 3, 4, 7, 9), problems.stream().map(Problem::line).toList(), problems::toString);
    assertTrue(
        problems.get(3).message().endsWith("did you mean \"interval\"?"), problems::toString);
  }

  @Test
  void ofARuleWithAValueThatIsWrongNothingIsSaid() throws IOException {
    Files.writeString(
        file(), "[hypersync.worker]\nleader_timeout = \"later\"\nleader_stale = \"30m\"\n");
    List<Problem> problems = new ConfigurationReader().problems(file());
    assertEquals(List.of(2), problems.stream().map(Problem::line).toList(), problems::toString);
  }

  @Test
  void everythingThatIsNoTomlIsNamed() throws IOException {
    Files.writeString(file(), "[hypersync]\nenabled true\nrole = leader\n");
    List<Problem> problems = new ConfigurationReader().problems(file());
    assertEquals(List.of(2, 3), problems.stream().map(Problem::line).toList(), problems::toString);
  }

  @ParameterizedTest
  @CsvSource({
    "http://h/mcp/, http://h/mcp/",
    "http://h/mcp/?key=s3cret&x=1, http://h/mcp/?***",
    "http://me:pw@h:1/, http://***@h:1/",
    "http://me:pw@h:1/a#s3cret, http://***@h:1/a?***",
    "/etc/token, /etc/token",
  })
  void whatMayBeASecretIsMasked(String text, String shown) {
    assertEquals(shown, Masked.text(text));
  }

  @Test
  void theTemplateIsReadAndSaysTheDefaults() throws IOException {
    String template = ConfigurationTemplate.render(Map.of(Settings.ROLE, "\"leader\""));
    Configuration commented = read(template);
    assertEquals(Optional.of(Role.LEADER), commented.find(Settings.ROLE));
    Configuration uncommented = read(template.replaceAll("(?m)^#([a-z_]+ = )", "$1"));
    for (Setting<?> setting : Settings.all()) {
      assertEquals(commented.find(setting), uncommented.find(setting), setting.key());
    }
  }
}
