package io.hypersync.cli.robot;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.daemons.Daemons;
import io.hypersync.cli.robot.RobotError.Code;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.runtime.admin.AdminClient;
import io.hypersync.runtime.admin.RunDirectory;
import io.hypersync.runtime.admin.UserError;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The daemons of one workspace on this machine.
 *
 * @param directory where its sockets are
 * @param status of all daemons of this machine, as {@code status --json} has it
 * @param leader of the workspace; missing if it is elsewhere, or does not answer
 * @param workers of the workspace; at least one if there is no leader
 */
record Site(RunDirectory directory, ObjectNode status, JsonNode leader, List<JsonNode> workers) {
  private static final Duration LIMIT = Duration.ofSeconds(5);

  /**
   * Asks the daemons.
   *
   * @param wanted a workspace's name, its id or the beginning of its id; empty for the one of the
   *     working directory, or the only one
   * @param here the working directory
   * @throws RobotError if no daemon answers, or it is not clear which workspace is meant
   */
  static Site of(RunDirectory directory, Optional<String> wanted, Path here) {
    ObjectNode status = Daemons.in(directory).status();
    List<JsonNode> leaders = listed(status, "leaders");
    List<JsonNode> workers = listed(status, "workers");
    Set<String> ids = new LinkedHashSet<>();
    List.of(leaders, workers)
        .forEach(all -> all.forEach(each -> ids.add(each.path("workspace").asText())));
    if (ids.isEmpty()) {
      if (!status.path("unresponsive").isEmpty()) {
        throw silent(status.path("unresponsive").path(0).path("reason").asText());
      }
      throw new RobotError(
          Code.DEPENDENCY_MISSING,
          "no HyperSync daemon runs on this machine (looked in " + directory.path() + ")",
          "Start one: hypersync leader --dir <workspace folder>, or hypersync worker");
    }
    String id = chosen(ids, leaders, workers, wanted, here);
    return new Site(
        directory,
        status,
        leaders.stream()
            .filter(each -> isOf(each, id))
            .findFirst()
            .orElse(MissingNode.getInstance()),
        workers.stream().filter(each -> isOf(each, id)).toList());
  }

  private static RobotError silent(String reason) {
    return reason.contains("ermission denied")
        ? new RobotError(
            Code.PERMISSION_DENIED,
            "a daemon may not be asked: " + reason,
            "Only its own user may ask it; that is root mostly.")
        : new RobotError(
            Code.TIMEOUT,
            "a daemon does not answer: " + reason,
            "Its log says what it is busy with.");
  }

  private static String chosen(
      Set<String> ids,
      List<JsonNode> leaders,
      List<JsonNode> workers,
      Optional<String> wanted,
      Path here) {
    if (wanted.isPresent()) {
      List<String> found =
          ids.stream()
              .filter(
                  id ->
                      id.startsWith(wanted.get())
                          || leaders.stream()
                              .anyMatch(
                                  each ->
                                      isOf(each, id)
                                          && each.path("workspace_name")
                                              .asText()
                                              .equals(wanted.get())))
              .toList();
      if (found.size() != 1) {
        throw new RobotError(
            found.isEmpty() ? Code.NOT_FOUND : Code.INVALID_ARGS,
            (found.isEmpty() ? "no" : "more than one") + " workspace here is " + wanted.get(),
            "Known are " + String.join(", ", ids));
      }
      return found.getFirst();
    }
    if (ids.size() == 1) {
      return ids.iterator().next();
    }
    return workers.stream()
        .filter(each -> here.startsWith(Path.of(each.path("mount").asText("/-"))))
        .map(each -> each.path("workspace").asText())
        .findFirst()
        .orElseThrow(
            () ->
                new RobotError(
                    Code.MISSING_REQUIRED,
                    "there are " + ids.size() + " workspaces on this machine",
                    "Say which: --workspace <id>; known are " + String.join(", ", ids)));
  }

  boolean hasLeader() {
    return !leader.isMissingNode();
  }

  /** The first worker of the workspace on this machine; missing if there is none. */
  JsonNode worker() {
    return workers.isEmpty() ? MissingNode.getInstance() : workers.getFirst();
  }

  /**
   * Asks the leader.
   *
   * @throws RobotError if it is not on this machine, does not answer or refuses
   */
  JsonNode ask(String command, ObjectNode args) {
    if (!hasLeader()) {
      throw new RobotError(
          Code.DEPENDENCY_MISSING,
          "the leader of this workspace does not run on this machine",
          "Ask on its host, which is " + worker().path("leader").asText("?"));
    }
    Path socket = directory.leaderSocket(WorkspaceId.parse(leader.path("workspace").asText()));
    return switch (new AdminClient(socket, LIMIT).ask(command, args)) {
      case AdminClient.Reply.Result(JsonNode value) -> value;
      case AdminClient.Reply.Refused(UserError error) ->
          throw new RobotError(
              error.exitCode() == UserError.USAGE ? Code.INVALID_ARGS : Code.INTERNAL_ERROR,
              error.message(),
              error.hint());
      case AdminClient.Reply.Dead(String reason) ->
          throw new RobotError(Code.DEPENDENCY_MISSING, "the leader has ended: " + reason, "");
      case AdminClient.Reply.Unresponsive(String reason) ->
          throw new RobotError(Code.TIMEOUT, "the leader does not answer: " + reason, "");
    };
  }

  private static List<JsonNode> listed(ObjectNode status, String key) {
    List<JsonNode> all = new ArrayList<>();
    status.path(key).forEach(all::add);
    return all;
  }

  private static boolean isOf(JsonNode daemon, String id) {
    return daemon.path("workspace").asText().equals(id);
  }
}
