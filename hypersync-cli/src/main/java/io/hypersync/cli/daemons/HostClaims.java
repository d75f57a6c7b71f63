package io.hypersync.cli.daemons;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.leader.daemon.leadership.ClaimFile;
import io.hypersync.leader.daemon.leadership.ProcProcesses;
import io.hypersync.leader.leadership.Claim;
import io.hypersync.leader.leadership.ClaimContent;
import io.hypersync.leader.leadership.ClaimException;
import io.hypersync.runtime.admin.AdminClient;
import io.hypersync.runtime.admin.RunDirectory;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Who leads which workspace on this host, by the claim files, and who waits to do so. */
public final class HostClaims {
  private static final Duration LIMIT = Duration.ofSeconds(5);

  private final RunDirectory run;

  /** Those whose files and sockets are in this directory. */
  public HostClaims(RunDirectory run) {
    this.run = run;
  }

  /**
   * A process that waits to lead.
   *
   * @param socket its admin socket
   * @param status its answer
   */
  public record Waiting(Path socket, JsonNode status) {}

  /** The observers that answer, of one workspace or of all. */
  public List<Waiting> observers(Optional<String> workspace) {
    List<Waiting> found = new ArrayList<>();
    for (Path socket : run.observerSockets()) {
      if (new AdminClient(socket, LIMIT).ask("status")
              instanceof AdminClient.Reply.Result(JsonNode status)
          && workspace.map(wanted -> isOf(status, wanted)).orElse(true)) {
        found.add(new Waiting(socket, status));
      }
    }
    return found;
  }

  private static boolean isOf(JsonNode status, String workspace) {
    return status.path("workspace_name").asText().equals(workspace)
        || status.path("workspace").asText().startsWith(workspace);
  }

  /**
   * Claims and observers, as {@code docs/json.md} describes them. The names of workspaces are those
   * that running daemons say; a claim of another one is found by its id only.
   */
  public ObjectNode json(Optional<String> workspace) {
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    ArrayNode claims = tree.putArray("claims");
    ArrayNode observers = tree.putArray("observers");
    List<Waiting> waiting = observers(Optional.empty());
    for (Path file : run.claims()) {
      String id = RunDirectory.workspaceOf(file);
      String name = name(id, waiting);
      if (workspace.map(wanted -> id.startsWith(wanted) || name.equals(wanted)).orElse(true)) {
        claims.add(
            JsonNodeFactory.instance
                .objectNode()
                .put("workspace", id)
                .put("workspace_name", name)
                .put("file", file.toString())
                .setAll(content(file)));
      }
    }
    observers(workspace).forEach(observer -> observers.add(observer.status()));
    return tree;
  }

  private String name(String workspace, List<Waiting> waiting) {
    for (Waiting observer : waiting) {
      if (observer.status().path("workspace").asText().equals(workspace)) {
        return observer.status().path("workspace_name").asText();
      }
    }
    for (Path socket : run.sockets()) {
      if (RunDirectory.isLeader(socket)
          && new AdminClient(socket, LIMIT).ask("status")
              instanceof AdminClient.Reply.Result(JsonNode status)
          && status.path("workspace").asText().equals(workspace)) {
        return status.path("workspace_name").asText();
      }
    }
    return "";
  }

  private static ObjectNode content(Path file) {
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    try {
      switch (new ClaimFile(file).exchange(_ -> Optional.empty())) {
        case ClaimContent.Free _ -> tree.put("state", "free");
        case ClaimContent.Malformed _ -> tree.put("state", "malformed");
        case ClaimContent.Held(Claim claim) ->
            tree.put("state", "held")
                .put("instance", claim.instance())
                .put("pid", claim.pid())
                .put("alive", new ProcProcesses().isAlive(claim.pid()))
                .put("claimed_at", Instant.ofEpochMilli(claim.claimedAtMs()).toString())
                .put("beats", claim.beats())
                .put("wanted_by", claim.wantedBy());
      }
    } catch (ClaimException e) {
      tree.put("state", "unusable").put("problem", e.message());
    }
    return tree;
  }
}
