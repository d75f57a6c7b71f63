package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.daemons.Daemons;
import io.hypersync.cli.render.EnvReport;
import io.hypersync.cli.workspace.AgentEnvironment;
import io.hypersync.runtime.admin.UserError;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code hypersync env}: the environment in which an agent should work on a workspace. */
@Command(
    name = "env",
    description = {
      "Print the environment in which an agent should work on a workspace: its name, for the log, and"
          + " caches of tools in the folder of this machine that is not replicated.",
      "Formats: shell, json, toml (keys of a table), pane-env (options of ntm spawn)."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  eval \"$(./hypersync env --agent BlueLake)\"",
      "  ./hypersync env --mount /ntmfs/ws/team --format json | jq -r .env.GOCACHE",
      "  eval \"ntm spawn payments --cc=2 $(./hypersync env --format pane-env)\""
    })
final class EnvCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private final WorkspaceSelection workspace = new WorkspaceSelection();
  @Mixin private final AgentOption agent = new AgentOption();

  @Option(
      names = "--format",
      paramLabel = "<format>",
      description = "shell, json, toml or pane-env (default: ${DEFAULT-VALUE}).")
  private String format = "shell";

  @Override
  public Integer call() {
    String name = agent.name();
    Daemons.Living worker = workspace.worker();
    Map<String, String> variables = variables(worker, name);
    PrintWriter out = spec.commandLine().getOut();
    switch (format) {
      case "shell" -> out.print(EnvReport.shell(variables));
      case "toml" -> out.print(EnvReport.toml(variables));
      case "pane-env" -> out.print(EnvReport.paneEnv(variables));
      case "json" -> out.println(json(worker, name, variables).toPrettyString());
      default ->
          throw new UserError(
              "--format: expected shell, json, toml or pane-env, got \"" + format + '"',
              "",
              UserError.USAGE);
    }
    out.flush();
    return 0;
  }

  /** The environment for an agent; its name may be empty. */
  static Map<String, String> variables(Daemons.Living worker, String agent) {
    return AgentEnvironment.of(Path.of(worker.status().path("local").asText()), agent);
  }

  /** The environment for the agent of a tmux pane, whose name its identity file says. */
  static Map<String, String> variablesOfPane(Daemons.Living worker, String pane) {
    return AgentEnvironment.ofPane(Path.of(worker.status().path("local").asText()), pane);
  }

  private static ObjectNode json(
      Daemons.Living worker, String agent, Map<String, String> variables) {
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    tree.put("agent", agent);
    for (String key : new String[] {"worker_id", "workspace", "mount", "local"}) {
      tree.set(key, worker.status().path(key));
    }
    ObjectNode env = tree.putObject("env");
    variables.forEach(env::put);
    return tree;
  }
}
