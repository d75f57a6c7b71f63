package io.hypersync.cli.runtime;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.Version;
import io.hypersync.runtime.admin.AdminCommand;
import io.hypersync.runtime.admin.Daemon;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** What a daemon answers on its admin socket: its own commands, and those of every daemon. */
final class DaemonCommands {
  private final Daemon daemon;
  private final Path socket;
  private final Supplier<Optional<String>> metrics;
  private final Reloading reloading;
  private final Consumer<Daemon> stop;
  private final long startedAtNs = System.nanoTime();

  /**
   * Describes them; {@link #byName} is what a server takes.
   *
   * @param metrics where this process shows its metrics, empty for nowhere
   * @param reloading reads the configuration of this process again
   * @param stop stops the daemon, before the answer
   */
  DaemonCommands(
      Daemon daemon,
      Path socket,
      Supplier<Optional<String>> metrics,
      Reloading reloading,
      Consumer<Daemon> stop) {
    this.metrics = metrics;
    this.reloading = reloading;
    this.daemon = daemon;
    this.socket = socket;
    this.stop = stop;
  }

  Map<String, AdminCommand> byName() {
    Map<String, AdminCommand> commands = new HashMap<>(daemon.adminCommands());
    commands.put("ping", _ -> JsonNodeFactory.instance.objectNode());
    commands.put("status", _ -> status());
    commands.put("reload", _ -> reloading.reload());
    commands.put("threads", _ -> ThreadDump.json());
    commands.put(
        "stop",
        _ -> {
          stop.accept(daemon);
          return JsonNodeFactory.instance.objectNode();
        });
    return commands;
  }

  private ObjectNode status() {
    Duration uptime = Duration.ofNanos(System.nanoTime() - startedAtNs);
    return daemon
        .status()
        .put("version", Version.text())
        .put("pid", ProcessHandle.current().pid())
        .put("uptime_ms", uptime.toMillis())
        .put("socket", socket.toString())
        .put("metrics", metrics.get().orElse(null));
  }
}
