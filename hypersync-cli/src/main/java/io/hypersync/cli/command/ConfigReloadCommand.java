package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.daemons.Daemons;
import io.hypersync.cli.render.ConfigReport;
import io.hypersync.runtime.admin.AdminClient;
import io.hypersync.runtime.admin.UserError;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code hypersync config reload}: has daemons read their settings again. */
@Command(
    name = "reload",
    description = {
      "Have the daemons of this machine read their settings again, each its own file. What can"
          + " change while they run does; what cannot is listed. If anything is wrong with a file,"
          + " its daemon changes nothing.",
      "SIGHUP does the same, and so does systemctl reload. Flags of a daemon stay over its file.",
      "Exits with 1 if a daemon has refused."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync config check /srv/team && ./hypersync config reload",
      "  ./hypersync config reload --json"
    })
final class ConfigReloadCommand implements Callable<Integer> {
  /** A worker that takes a snapshot of the leader over may need its time. */
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @Mixin private final Screen screen = new Screen();
  @Mixin private final DaemonSelection selection = new DaemonSelection();

  @Override
  public Integer call() {
    Daemons found = selection.daemons();
    ArrayNode daemons = JsonNodeFactory.instance.arrayNode();
    Set<Long> asked = new HashSet<>();
    boolean hasFailed = false;
    for (Daemons.Living daemon : found.all()) {
      // The mount in a leader's process answers on a socket of its own.
      if (asked.add(daemon.status().path("pid").asLong())) {
        hasFailed |= !ask(daemon, daemons.addObject());
      }
    }
    if (daemons.isEmpty()) {
      throw new UserError(
          "no daemon runs on this machine (looked in " + found.searched() + ")",
          "Nothing is to be done: a daemon reads its settings when it starts.");
    }
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.set("daemons", daemons);
    screen.show(json, () -> ConfigReport.reloaded(json));
    return hasFailed ? UserError.FAILED : 0;
  }

  private static boolean ask(Daemons.Living daemon, ObjectNode json) {
    JsonNode status = daemon.status();
    Path socket = daemon.socket();
    json.put("role", status.path("role").asText());
    json.put("name", name(status));
    json.put("socket", socket.toString());
    @Nullable UserError refused = null;
    try {
      json.setAll((ObjectNode) new AdminClient(socket, LIMIT).call("reload", empty()));
    } catch (UserError e) {
      refused = e;
    }
    json.put("error", refused == null ? null : refused.message());
    json.put("hint", refused == null ? null : refused.hint());
    return refused == null;
  }

  private static String name(JsonNode status) {
    return List.of("worker_id", "workspace_name").stream()
        .map(key -> status.path(key).asText(""))
        .filter(text -> !text.isEmpty())
        .findFirst()
        .orElse("");
  }

  private static ObjectNode empty() {
    return JsonNodeFactory.instance.objectNode();
  }
}
