package io.hypersync.cli.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Says what is wrong with what was observed. Decides only: looks at nothing itself. */
final class Checks {
  private static final String TYPE = "fuse.hypersync";
  private static final long FAR_BEHIND_ENTRIES = 10_000;
  private static final int NEARLY_FULL_PERCENT = 90;
  private static final long FEW_FILES = 1_024;
  private static final Duration OLD = Duration.ofDays(7);
  private static final Duration CERTIFICATE_NEAR = Duration.ofDays(30);
  private static final List<String> CACHES =
      List.of(
          "GOCACHE",
          "GOMODCACHE",
          "npm_config_cache",
          "PIP_CACHE_DIR",
          "UV_CACHE_DIR",
          "CARGO_HOME",
          "CARGO_TARGET_DIR",
          "XDG_CACHE_HOME");

  private final Observed observed;
  private final Instant now;
  private final List<Finding> findings = new ArrayList<>();

  private Checks(Observed observed, Instant now) {
    this.observed = observed;
    this.now = now;
  }

  /**
   * Returns all findings, in the order of their codes.
   *
   * @param now by which pins are old
   */
  static List<Finding> of(Observed observed, Instant now) {
    Checks checks = new Checks(observed, now);
    checks.sockets();
    checks.mounts();
    observed.status().path("leaders").forEach(checks::leader);
    observed.status().path("workers").forEach(checks::worker);
    observed.status().path("standbys").forEach(checks::replica);
    observed.processes().forEach(checks::process);
    checks.host();
    checks.findings.sort((a, b) -> a.trouble().code().compareTo(b.trouble().code()));
    return List.copyOf(checks.findings);
  }

  private void sockets() {
    for (JsonNode silent : observed.status().path("unresponsive")) {
      add(
          Trouble.DAEMON_SILENT,
          silent.path("role").asText()
              + " at "
              + silent.path("socket").asText()
              + ": "
              + silent.path("reason").asText());
    }
    for (JsonNode dead : observed.status().path("dead")) {
      socketLeft(dead.path("role").asText(), dead.path("socket").asText());
    }
  }

  private void socketLeft(String role, String socket) {
    String detail = role + " at " + socket;
    try {
      findings.add(
          Finding.repairable(
              Trouble.SOCKET_LEFT, detail, new Finding.Repair.RemoveSocket(Path.of(socket))));
    } catch (InvalidPathException unspeakable) { // in this locale
      add(Trouble.SOCKET_LEFT, detail);
    }
  }

  private void mounts() {
    Set<String> served = new HashSet<>();
    for (JsonNode worker : observed.status().path("workers")) {
      served.add(worker.path("mount").asText());
      for (JsonNode past : worker.path("past_mounts")) {
        served.add(past.path("mount").asText());
      }
    }
    List<Observed.Mounted> all = observed.mounts();
    Set<String> devices = devices(all, served);
    for (int i = 0; i < all.size(); i++) {
      Observed.Mounted mount = all.get(i);
      if (!mount.type().equals(TYPE)) {
        continue;
      }
      if (!served.contains(mount.point()) && !devices.contains(mount.device())) {
        add(Trouble.MOUNT_WITHOUT_WORKER, mount.point());
      }
      all.subList(i + 1, all.size()).stream()
          .filter(later -> isAtOrAbove(later.point(), mount.point()))
          .findFirst()
          .ifPresent(
              later ->
                  add(
                      Trouble.MOUNT_SHADOWED,
                      mount.point() + " is under a " + later.type() + " at " + later.point()));
    }
  }

  /**
   * The filesystems that are served: a bind mount shows one at a place that no daemon knows. At
   * each point the last mount counts, which hides those before.
   */
  private static Set<String> devices(List<Observed.Mounted> all, Set<String> served) {
    Map<String, String> last = new HashMap<>();
    for (Observed.Mounted mount : all) {
      if (mount.type().equals(TYPE) && served.contains(mount.point())) {
        last.put(mount.point(), mount.device());
      }
    }
    return Set.copyOf(last.values());
  }

  /** By their text: not each name of a mount is a path in each locale. */
  private static boolean isAtOrAbove(String point, String other) {
    return point.equals("/") || other.equals(point) || other.startsWith(point + "/");
  }

  private void leader(JsonNode leader) {
    String name = "leader of " + leader.path("workspace_name").asText();
    daemon(name, leader);
    for (JsonNode absent : leader.path("absent")) {
      String state = absent.path("state").asText();
      if (state.equals("diverged") || state.equals("duplicate") || state.equals("refused")) {
        add(
            Trouble.WORKER_REFUSED,
            absent.path("worker_id").asText()
                + " ("
                + state
                + "): "
                + absent.path("reason").asText());
      }
    }
    failure(Trouble.SNAPSHOT_FAILED, name, leader.path("snapshots"));
    failure(Trouble.COLLECTION_FAILED, name, leader.path("gc"));
    long lost = leader.path("scrub").path("last").path("lost").asLong();
    if (lost > 0) {
      add(Trouble.CONTENT_LOST, lost + " items of the " + name);
    }
    for (JsonNode pin : leader.path("gc").path("last").path("pins")) {
      if (isOld(pin.path("since").asText(""))) {
        add(
            Trouble.OLD_PIN,
            (pin.path("kind").asText() + " " + pin.path("name").asText("")).strip()
                + " keeps "
                + pin.path("bytes").asLong()
                + " bytes since "
                + pin.path("since").asText());
      }
    }
  }

  /** Of the daemon itself, and of a leader's workers. */
  private void certificates(String name, JsonNode certificate) {
    ends(name, certificate.path("expires_in_ms"));
    ends("the authority of " + name, certificate.path("authority_expires_in_ms"));
    for (JsonNode ending : certificate.path("ending")) {
      if (ending.path("worker_id").isTextual()) {
        add(
            Trouble.CERTIFICATE_ENDS,
            "worker "
                + ending.path("worker_id").asText()
                + " of "
                + name
                + ": "
                + ending.path("not_after").asText());
      }
    }
  }

  private void ends(String whose, JsonNode leftMs) {
    if (leftMs.isNumber() && leftMs.asLong() < CERTIFICATE_NEAR.toMillis()) {
      long days = Duration.ofMillis(leftMs.asLong()).toDays();
      add(
          Trouble.CERTIFICATE_ENDS,
          whose + (leftMs.asLong() <= 0 ? ": has ended" : ": in " + days + " days"));
    }
  }

  private boolean isOld(String since) {
    try {
      return !since.isEmpty() && Instant.parse(since).plus(OLD).isBefore(now);
    } catch (DateTimeParseException unknown) {
      return false;
    }
  }

  private void worker(JsonNode worker) {
    replica(worker);
    String mount = worker.path("mount").asText();
    if (!worker.path("mounted").asBoolean(true)) {
      add(Trouble.NOT_MOUNTED, mount);
    } else if (worker.path("read_only").asBoolean()) {
      add(
          Trouble.READ_ONLY,
          mount
              + ": "
              + worker.path("link").asText()
              + " "
              + worker.path("link_reason").asText(""));
    }
    CACHES.stream()
        .filter(name -> isOn(mount, observed.environment().getOrDefault(name, "")))
        .forEach(
            name -> add(Trouble.CACHE_ON_MOUNT, name + "=" + observed.environment().get(name)));
  }

  private static boolean isOn(String mount, String path) {
    return path.startsWith("/") && !mount.isEmpty() && isAtOrAbove(mount, path);
  }

  private void replica(JsonNode worker) {
    String name = worker.path("role").asText("worker") + " " + worker.path("worker_id").asText();
    daemon(name, worker);
    JsonNode error = worker.path("apply_error").path("message");
    if (error.isTextual()) {
      add(Trouble.STOPPED_APPLYING, name + ": " + error.asText());
    }
    long behind = worker.path("catch_up").path("entries_behind").asLong();
    if (behind > FAR_BEHIND_ENTRIES) {
      add(Trouble.FAR_BEHIND, name + " is " + behind + " entries behind");
    }
    failure(Trouble.SNAPSHOT_FAILED, name, worker.path("snapshots"));
    failure(Trouble.COLLECTION_FAILED, name, worker.path("chunk_cache"));
  }

  /** A failure that nothing has succeeded after. */
  private void failure(Trouble trouble, String name, JsonNode work) {
    JsonNode last = work.path("last_failure");
    if (last.isTextual()) {
      add(trouble, name + ": " + last.asText());
    }
  }

  private void daemon(String name, JsonNode status) {
    certificates(name, status.path("certificate"));
    String runs = status.path("version").asText(observed.version());
    if (!runs.equals(observed.version())) {
      add(
          Trouble.VERSIONS_DIFFER,
          name + " is " + runs + ", this command is " + observed.version());
    }
    status
        .path("invariants_broken")
        .properties()
        .forEach(
            each -> {
              if (each.getValue().asLong() > 0) {
                add(
                    Trouble.INVARIANT_BROKEN,
                    name + ": " + each.getKey() + ", " + each.getValue().asLong() + " times");
              }
            });
  }

  private void process(Observed.DaemonProcess process) {
    if (process.diskBytes() > 0) {
      long used = 100 - process.freeBytes() * 100 / process.diskBytes();
      if (used >= NEARLY_FULL_PERCENT) {
        add(
            Trouble.DISK_NEARLY_FULL,
            used + "% of the disk of " + process.name() + ", " + process.stateDir());
      }
    }
    long limit = process.openFilesLimit();
    if (limit > 0
        && (limit < FEW_FILES || process.openFiles() * 100 >= limit * NEARLY_FULL_PERCENT)) {
      add(
          Trouble.FEW_OPEN_FILES,
          process.name() + " has " + process.openFiles() + " of " + limit + " descriptors");
    }
  }

  private void host() {
    observed.unseen().forEach(each -> add(Trouble.NOT_LOOKED_AT, each));
    for (Path path : observed.readableByOthers()) {
      findings.add(
          Finding.repairable(
              Trouble.SECRET_READABLE, path.toString(), new Finding.Repair.CloseToOthers(path)));
    }
    if (!observed.hasFuse()) {
      add(Trouble.NO_FUSE, "/dev/fuse");
    }
    if (observed.groupBytes() > 0
        && observed.groupUsedBytes() >= observed.groupBytes() / 100 * NEARLY_FULL_PERCENT) {
      add(
          Trouble.MEMORY_GROUP_NEARLY_FULL,
          observed.groupUsedBytes() + " of " + observed.groupBytes() + " bytes");
    }
  }

  private void add(Trouble trouble, String detail) {
    findings.add(Finding.of(trouble, detail));
  }
}
