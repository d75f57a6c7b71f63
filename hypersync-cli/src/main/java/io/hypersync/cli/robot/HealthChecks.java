package io.hypersync.cli.robot;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.daemons.Mounts;
import io.hypersync.runtime.text.ShellWords;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What is wrong with the workspace as seen from this machine, and what to do about it. */
final class HealthChecks {
  private static final int FULL_DISK_PERCENT = 90;

  private final List<ObjectNode> checks = new ArrayList<>();

  private HealthChecks() {}

  /**
   * Looks at all there is; a mount that hangs takes 2 s.
   *
   * @param mounts the HyperSync mounts of this machine, and whether they answer
   */
  static List<ObjectNode> of(Site site, List<ObjectNode> workers, Map<Path, Mounts.Health> mounts) {
    HealthChecks all = new HealthChecks();
    all.daemons(site.status());
    all.leader(site);
    all.mounts(mounts);
    site.workers().forEach(all::worker);
    if (site.hasLeader()) {
      workers.forEach(all::known);
      all.invariants("leader", site.leader());
      all.reservations(site.leader().path("reservations"));
    }
    return all.checks;
  }

  private void daemons(JsonNode status) {
    for (JsonNode silent : status.path("unresponsive")) {
      problem(
          "daemon_answers",
          "error",
          "health:daemon:unresponsive",
          silent.path("role").asText()
              + " "
              + silent.path("socket").asText()
              + ": "
              + silent.path("reason").asText(),
          "look into its log");
    }
    for (JsonNode dead : status.path("dead")) {
      problem(
          "daemon_answers",
          "error",
          "health:daemon:dead",
          dead.path("role").asText() + " " + dead.path("socket").asText() + " has died",
          "hypersync " + dead.path("role").asText());
    }
    if (status.path("unresponsive").isEmpty() && status.path("dead").isEmpty()) {
      fine("daemon_answers", "all daemons of this machine answer");
    }
  }

  private void leader(Site site) {
    if (site.hasLeader() || site.worker().path("connected").asBoolean()) {
      fine("leader_reachable", "the leader can be reached");
      return;
    }
    problem(
        "leader_reachable",
        "critical",
        "health:leader:unreachable",
        "the leader at "
            + site.worker().path("leader").asText("?")
            + " cannot be reached: "
            + site.worker().path("link_reason").asText(),
        "start the leader on its host: hypersync leader --dir <workspace folder>");
  }

  private void mounts(Map<Path, Mounts.Health> mounts) {
    mounts.forEach(
        (mount, health) -> {
          switch (health) {
            case ALIVE -> fine("mount_answers", mount + " answers");
            case DEAD ->
                problem(
                    "mount_answers",
                    "critical",
                    "health:mount:dead",
                    mount + " has no worker any more",
                    "hypersync umount " + ShellWords.quoted(mount));
            case HANGING ->
                problem(
                    "mount_answers",
                    "critical",
                    "health:mount:hanging",
                    mount + " does not answer",
                    "look into its worker's log");
          }
        });
  }

  private void worker(JsonNode worker) {
    String mount = worker.path("mount").asText();
    if (worker.path("read_only").asBoolean()) {
      problem(
          "mount_writable",
          "critical",
          "health:mount:read_only",
          mount
              + " refuses changes: "
              + worker.path("link").asText()
              + " "
              + worker.path("link_reason").asText(),
          "hypersync status");
    } else {
      fine("mount_writable", mount + " can be written");
    }
    JsonNode error = worker.path("apply_error").path("message");
    if (error.isTextual()) {
      problem(
          "entries_applied",
          "critical",
          "health:worker:apply_error",
          error.asText(),
          "hypersync status");
    }
    invariants(worker.path("worker_id").asText(), worker);
  }

  private void known(ObjectNode worker) {
    String name = worker.path("id").asText();
    if (worker.path("status").asText().equals("offline")) {
      problem(
          "workers_connected",
          "warning",
          "health:worker:offline",
          name + " is not connected: " + worker.path("reasons").path(0).asText(),
          "start it on its host: hypersync worker");
    }
    if (worker.path("disk_percent").asInt() >= FULL_DISK_PERCENT) {
      problem(
          "disk_has_room",
          "warning",
          "health:disk:nearly_full",
          "the disk of " + name + " is " + worker.path("disk_percent").asInt() + "% full",
          "hypersync gc --mount <its mount>");
    }
  }

  private void invariants(String who, JsonNode daemon) {
    daemon
        .path("invariants_broken")
        .properties()
        .forEach(
            each -> {
              if (each.getValue().asLong() > 0) {
                problem(
                    "invariants_hold",
                    "critical",
                    "health:invariant:broken",
                    who + " has broken " + each.getKey() + ", which is a bug",
                    "report it, with the logs");
              }
            });
  }

  private void reservations(JsonNode known) {
    ObjectNode source = ReservationsView.source(known);
    String reason = source.path("reason_code").asText();
    if (reason.equals("health:ok")) {
      fine("reservations_fresh", "reservations are up to date");
    } else if (!reason.equals("health:source:not_configured")) {
      problem(
          "reservations_fresh",
          "warning",
          reason,
          "reservations are not up to date: " + source.path("last_error").asText(),
          "look at hypersync.agent_mail.archive, and at hypersync reservations");
    }
  }

  private void fine(String name, String detail) {
    var _ = add(name, true, "info", "health:ok", detail);
  }

  private void problem(
      String name, String severity, String reasonCode, String detail, String action) {
    add(name, false, severity, reasonCode, detail).put("suggested_action", action);
  }

  private ObjectNode add(
      String name, boolean ok, String severity, String reasonCode, String detail) {
    ObjectNode check =
        JsonNodeFactory.instance
            .objectNode()
            .put("name", name)
            .put("ok", ok)
            .put("severity", severity)
            .put("reason_code", reasonCode)
            .put("detail", detail);
    checks.add(check);
    return check;
  }
}
