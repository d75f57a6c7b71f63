package io.hypersync.cli.runtime;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.leader.daemon.leadership.LeadershipTimer;
import io.hypersync.leader.leadership.Leadership;
import io.hypersync.runtime.admin.AdminCommand;
import io.hypersync.runtime.admin.Daemon;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * A process that waits to lead a workspace while another one does. It has opened nothing of the
 * state directory, answers who leads, and ends when it has the claim.
 */
final class Observer implements Daemon {
  private final WorkspaceDirectory workspace;
  private final Leadership leadership;
  private final LeadershipTimer timer;
  private final CompletableFuture<Void> ended = new CompletableFuture<>();

  Observer(WorkspaceDirectory workspace, Leadership leadership, LeadershipTimer timer) {
    this.workspace = workspace;
    this.leadership = leadership;
    this.timer = timer;
    var _ = timer.decided().thenRun(() -> ended.complete(null));
  }

  @Override
  public ObjectNode status() {
    Leadership.View view = leadership.view();
    return JsonNodeFactory.instance
        .objectNode()
        .put("role", "observer")
        .put("workspace", workspace.id().toString())
        .put("workspace_name", workspace.name().text())
        .put("instance", view.instance())
        .put("leader", Leadership.describe(view.content()))
        .put("problem", view.problem());
  }

  @Override
  public Map<String, AdminCommand> adminCommands() {
    return Map.of(
        "claim",
        _ -> {
          leadership.ask();
          timer.soon();
          return status();
        });
  }

  @Override
  public CompletableFuture<Void> ended() {
    return ended;
  }

  @Override
  public void close() {
    ended.complete(null);
  }
}
