package io.hypersync.cli.daemons;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.runtime.admin.AdminClient;
import io.hypersync.runtime.admin.RunDirectory;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.FileProblems;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The daemons of this machine, found by their admin sockets. All methods that return daemons ask
 * the sockets again, waiting at most {@link #STATUS_LIMIT} for each.
 */
public final class Daemons {
  private static final Duration STATUS_LIMIT = Duration.ofSeconds(5);

  private final List<Path> sockets;
  private final Path searched;

  private Daemons(List<Path> sockets, Path searched) {
    this.sockets = sockets;
    this.searched = searched;
  }

  /**
   * A daemon that answered.
   *
   * @param socket its admin socket
   * @param status its answer
   */
  public record Living(Path socket, JsonNode status) {}

  /** The daemons whose sockets are in a run directory. */
  public static Daemons in(RunDirectory directory) {
    return new Daemons(directory.sockets(), directory.path());
  }

  /** The daemons of these admin sockets; at least one. */
  public static Daemons at(List<Path> sockets) {
    return new Daemons(List.copyOf(sockets), sockets.getFirst());
  }

  /** Returns where sockets were looked for, for messages. */
  public Path searched() {
    return searched;
  }

  /** Returns the admin sockets, of living and dead daemons. */
  public List<Path> sockets() {
    return sockets;
  }

  /** Whether there is the socket of a leader, which may not answer. */
  public boolean hasLeader() {
    return sockets.stream().anyMatch(RunDirectory::isLeader);
  }

  /** Returns the daemons that answer, leaders first. */
  public List<Living> all() {
    List<Living> all = new ArrayList<>(living(RunDirectory::isLeader));
    all.addAll(living(socket -> !RunDirectory.isLeader(socket)));
    return all;
  }

  /** Returns the workers that answer. */
  public List<Living> workers() {
    return living(Daemons::isWorker);
  }

  /**
   * Returns the one leader that matches.
   *
   * @param workspace a workspace's name, its id or the beginning of its id; empty to match any
   *     leader
   * @throws UserError if none or more than one matches
   */
  public Living leader(Optional<String> workspace) {
    List<Living> leaders =
        living(RunDirectory::isLeader).stream()
            .filter(leader -> workspace.map(wanted -> isOf(leader, wanted)).orElse(true))
            .toList();
    String which = workspace.map(name -> " of workspace " + name).orElse("");
    if (leaders.isEmpty()) {
      throw new UserError(
          "no leader" + which + " runs on this machine (looked in " + searched + ")",
          workers().stream()
              .findFirst()
              .map(
                  worker ->
                      "The log is with the leader of this machine's worker, at "
                          + worker.status().path("leader").asText("?")
                          + ": run this on that host.")
              .orElse("Start one: ./hypersync leader --dir <workspace folder>"));
    }
    if (leaders.size() > 1) {
      throw new UserError(
          leaders.size() + " leaders run on this machine",
          "Say which: --workspace "
              + String.join(
                  " or ",
                  leaders.stream()
                      .map(leader -> leader.status().path("workspace_name").asText())
                      .toList()),
          UserError.USAGE);
    }
    return leaders.getFirst();
  }

  /** Returns the leader of a worker's workspace, if it runs on this machine. */
  public Optional<Living> leaderOf(Living worker) {
    return living(RunDirectory::isLeader).stream()
        .filter(
            leader -> leader.status().path("workspace").equals(worker.status().path("workspace")))
        .findFirst();
  }

  /**
   * Returns every daemon as {@code docs/json.md} describes: leaders, standbys, workers,
   * unresponsive, dead.
   */
  public ObjectNode status() {
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    ArrayNode leaders = tree.putArray("leaders");
    ArrayNode standbys = tree.putArray("standbys");
    ArrayNode workers = tree.putArray("workers");
    ArrayNode unresponsive = tree.putArray("unresponsive");
    ArrayNode dead = tree.putArray("dead");
    for (Path socket : sockets) {
      switch (ask(socket)) {
        case AdminClient.Reply.Result(JsonNode value) ->
            (switch (value.path("role").asText()) {
                  case "leader" -> leaders;
                  case "standby" -> standbys;
                  default -> workers;
                })
                .add(value);
        case AdminClient.Reply.Refused(UserError error) ->
            unresponsive.add(entry(socket, error.message()));
        case AdminClient.Reply.Unresponsive(String reason) ->
            unresponsive.add(entry(socket, reason));
        case AdminClient.Reply.Dead(String reason) -> dead.add(entry(socket, reason));
      }
    }
    return tree;
  }

  /**
   * Removes the admin sockets that dead workers left behind.
   *
   * @throws UserError if one cannot be removed
   */
  public void forgetDeadWorkers() {
    for (Path socket : sockets) {
      if (isWorker(socket) && ask(socket) instanceof AdminClient.Reply.Dead) {
        try {
          Files.deleteIfExists(socket);
        } catch (IOException failure) {
          throw new UserError(
              "cannot remove " + socket + ": " + FileProblems.describe(failure),
              FileProblems.hint(failure, ""));
        }
      }
    }
  }

  private static ObjectNode entry(Path socket, String reason) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("role", RunDirectory.role(socket))
        .put("socket", socket.toString())
        .put("reason", reason);
  }

  private static boolean isWorker(Path socket) {
    return RunDirectory.role(socket).equals("worker");
  }

  private List<Living> living(Predicate<Path> wanted) {
    List<Living> found = new ArrayList<>();
    for (Path socket : sockets) {
      if (wanted.test(socket) && ask(socket) instanceof AdminClient.Reply.Result(JsonNode status)) {
        found.add(new Living(socket, status));
      }
    }
    return found;
  }

  private static AdminClient.Reply ask(Path socket) {
    return new AdminClient(socket, STATUS_LIMIT).ask("status");
  }

  private static boolean isOf(Living leader, String workspace) {
    return leader.status().path("workspace_name").asText().equals(workspace)
        || leader.status().path("workspace").asText().startsWith(workspace);
  }
}
