package io.hypersync.cli.ntm;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.cli.daemons.Mounts;
import io.hypersync.runtime.text.ShellWords;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** What keeps agents of an NTM session from working on a workspace, on this host. */
public final class NtmChecks {
  private static final String STANDARD_MOUNTS = "/ntmfs/ws/";
  private static final String ARCHIVE = ".mcp_agent_mail_git_mailbox_repo";

  private final JsonNode status;
  private final Map<String, String> environment;
  private final Path proc;
  private final List<Finding> findings = new ArrayList<>();

  /**
   * Prepares checks.
   *
   * @param status of the daemons of this machine, as {@code status --json} has it
   * @param environment with NTM's and Agent Mail's variables
   * @param proc {@code /proc}
   */
  public NtmChecks(JsonNode status, Map<String, String> environment, Path proc) {
    this.status = status;
    this.environment = environment;
    this.proc = proc;
  }

  /**
   * Looks at everything.
   *
   * @param project where agents are to work; empty to look at all mounts
   * @param isQuick whether to leave out what takes time: the search for databases
   */
  public List<Finding> all(NtmPlugin plugin, Optional<Path> project, boolean isQuick) {
    plugin(plugin);
    List<JsonNode> workers = new ArrayList<>();
    status.path("workers").forEach(workers::add);
    if (project.isPresent()) {
      Path wanted = project.get().toAbsolutePath().normalize();
      workers.removeIf(worker -> !wanted.startsWith(mount(worker)));
      if (workers.isEmpty()) {
        findings.add(
            Finding.error(
                "mount",
                wanted + " is on no workspace that is mounted here",
                "mount it: hypersync worker; or use another directory: hypersync status"));
      }
    } else if (workers.isEmpty()) {
      findings.add(
          Finding.error(
              "mount",
              "no workspace is mounted here",
              "mount one: hypersync worker --token <file> --mount /ntmfs/ws/<workspace>"));
    }
    for (JsonNode worker : workers) {
      mounted(worker);
      if (!isQuick && !worker.path("read_only").asBoolean()) {
        databases(mount(worker));
      }
    }
    archive(workers);
    return List.copyOf(findings);
  }

  private void plugin(NtmPlugin plugin) {
    findings.add(
        switch (plugin.state()) {
          case CURRENT -> Finding.fine("plugin", "ntm hypersync runs this hypersync");
          case ABSENT ->
              Finding.warning(
                  "plugin", "ntm has no command hypersync", "write it: hypersync ntm install");
          case OUTDATED ->
              Finding.warning(
                  "plugin",
                  plugin.file() + " is of another version, or runs another hypersync",
                  "write it again: hypersync ntm install");
          case FOREIGN ->
              Finding.warning(
                  "plugin",
                  plugin.file() + " was not written by hypersync",
                  "move it away, then: hypersync ntm install");
        });
  }

  private void mounted(JsonNode worker) {
    Path mount = mount(worker);
    Mounts.Health health = Mounts.probe(mount);
    if (health != Mounts.Health.ALIVE) {
      findings.add(
          Finding.error(
              "mount",
              mount + (health == Mounts.Health.DEAD ? " has lost its worker" : " does not answer"),
              health == Mounts.Health.DEAD
                  ? "hypersync umount " + ShellWords.quoted(mount) + ", then start its worker again"
                  : "look into its worker's log"));
    } else if (worker.path("read_only").asBoolean()) {
      findings.add(
          Finding.error(
              "mount",
              mount
                  + " refuses changes: "
                  + worker.path("link").asText()
                  + " "
                  + worker.path("link_reason").asText(),
              "is the leader at " + worker.path("leader").asText() + " running?"));
    } else {
      findings.add(Finding.fine("mount", mount + " is there and can be written"));
    }
    if (!mount.toString().startsWith(STANDARD_MOUNTS)) {
      findings.add(
          Finding.warning(
              "mount_path",
              "the workspace is mounted at "
                  + mount
                  + ": agents of other hosts, Agent Mail and NTM"
                  + " know it by its path, so that must be the same everywhere",
              "mount it at "
                  + STANDARD_MOUNTS
                  + "<workspace> on all hosts, or at this path on all"
                  + " of them, and say so in hypersync.agent_mail.mount_paths"));
    }
  }

  private void databases(Path mount) {
    WalDatabases.Found found = WalDatabases.below(mount);
    for (Path file : found.files()) {
      findings.add(
          Finding.warning(
              "wal_database",
              file
                  + " is an SQLite database in WAL mode: while one host has it open, it is locked for"
                  + " others",
              "if several hosts need it at once: sqlite3 "
                  + ShellWords.quoted(file)
                  + " 'PRAGMA journal_mode=DELETE'; for beads: br --no-db"));
    }
    if (found.files().isEmpty()) {
      findings.add(
          found.isComplete()
              ? Finding.fine("wal_database", mount + " has no SQLite database in WAL mode")
              : Finding.fine(
                  "wal_database",
                  "no SQLite database in WAL mode was found in the part of "
                      + mount
                      + " that was looked at"));
    }
  }

  private void archive(List<JsonNode> workers) {
    Optional<Path> archive = archive();
    List<Path> mounts = workers.stream().map(NtmChecks::mount).toList();
    archive
        .filter(folder -> mounts.stream().anyMatch(folder::startsWith))
        .ifPresent(
            folder ->
                findings.add(
                    Finding.error(
                        "archive",
                        "Agent Mail's archive " + folder + " is on the workspace",
                        "move it to a local disk of the leader's host, and set STORAGE_ROOT")));
    List<JsonNode> leaders = new ArrayList<>();
    status.path("leaders").forEach(leaders::add);
    if (leaders.isEmpty()) {
      archive.ifPresent(
          folder ->
              findings.add(
                  Finding.warning(
                      "archive",
                      "Agent Mail has an archive here, "
                          + folder
                          + ", and the leader is on another"
                          + " host, "
                          + leader(workers)
                          + ", where it cannot read it",
                      "run Agent Mail on the leader's host, and let agents here reach it:"
                          + " AGENT_MAIL_URL")));
    }
    for (JsonNode leader : leaders) {
      reservations(leader, archive);
    }
    for (AgentMailServers.Server server : AgentMailServers.in(proc)) {
      boolean isOnMount = mounts.stream().anyMatch(server.directory()::startsWith);
      findings.add(
          isOnMount
              ? Finding.error(
                  "agent_mail",
                  "the Agent Mail server "
                      + server.pid()
                      + " works in "
                      + server.directory()
                      + ": its database is there by default, on the workspace",
                  "start it in a local directory, or set DATABASE_URL and STORAGE_ROOT")
              : Finding.fine("agent_mail", "the Agent Mail server works in a local directory"));
    }
  }

  private void reservations(JsonNode leader, Optional<Path> archive) {
    JsonNode known = leader.path("reservations");
    String workspace = leader.path("workspace_name").asText();
    if (known.path("source").asText("none").equals("none")) {
      archive.ifPresent(
          folder ->
              findings.add(
                  Finding.warning(
                      "archive",
                      "the leader of "
                          + workspace
                          + " does not read Agent Mail's archive "
                          + folder,
                      "set hypersync.agent_mail.archive = \"" + folder + "\"")));
      return;
    }
    if (!known.path("fresh").asBoolean()) {
      findings.add(
          Finding.warning(
              "archive",
              "the reservations that the leader of "
                  + workspace
                  + " knows are not up to date: "
                  + known.path("last_error").asText(),
              "look at hypersync.agent_mail.archive"));
    }
    long elsewhere = known.path("elsewhere").asLong();
    if (elsewhere > 0) {
      findings.add(
          Finding.warning(
              "mount_path",
              elsewhere
                  + " reservations are of projects that are not on "
                  + workspace
                  + " as far as the leader knows: is it mounted at another path somewhere?",
              "say all paths: hypersync.agent_mail.mount_paths"));
    }
  }

  private static String leader(List<JsonNode> workers) {
    return workers.stream()
        .map(worker -> worker.path("leader").asText())
        .distinct()
        .collect(Collectors.joining(", "));
  }

  /** Agent Mail's archive on this host, if there is one. */
  private Optional<Path> archive() {
    return Optional.ofNullable(environment.get("STORAGE_ROOT"))
        .filter(value -> !value.isBlank())
        .map(Path::of)
        .or(
            () ->
                Optional.ofNullable(environment.get("HOME"))
                    .map(home -> Path.of(home).resolve(ARCHIVE)))
        .map(path -> path.toAbsolutePath().normalize())
        .filter(Files::isDirectory);
  }

  private static Path mount(JsonNode worker) {
    return Path.of(worker.path("mount").asText());
  }
}
