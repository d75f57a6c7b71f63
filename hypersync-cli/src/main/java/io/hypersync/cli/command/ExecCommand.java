package io.hypersync.cli.command;

import io.hypersync.cli.render.EnvReport;
import io.hypersync.runtime.admin.UserError;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code hypersync exec}: runs a command as an agent. This prints the environment; the launcher
 * sets it, and the command takes the launcher's place. So it has the terminal, gets its signals
 * itself, and no JVM stays beside it.
 */
@Command(
    name = "exec",
    description = {
      "Run a command as an agent: with its name, for the log, and with caches of tools in the folder"
          + " of this machine that is not replicated (./hypersync env shows the variables).",
      "The command takes the place of this one, so it ends as the command does. Without --agent in"
          + " a tmux pane its name is the one that NTM or Agent Mail has written for the pane."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync exec --agent BlueLake -- claude",
      "  ./hypersync exec --agent BlueLake --mount /ntmfs/ws/team -- sh -c 'cd /ntmfs/ws/team && make'"
    })
final class ExecCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private final WorkspaceSelection workspace = new WorkspaceSelection();
  @Mixin private final AgentOption agent = new AgentOption();

  @Parameters(
      index = "0..*",
      arity = "1..*",
      paramLabel = "<command>",
      description = "What to run, after --.")
  private List<String> command = List.of();

  @Override
  public Integer call() {
    String name = agent.name();
    String pane = System.getenv().getOrDefault("TMUX_PANE", "");
    if (name.isEmpty() && pane.isEmpty()) {
      throw new UserError(
          "who runs " + command.getFirst() + "? --agent is missing",
          "In a tmux pane the name is the one that NTM or Agent Mail has written for the pane. For"
              + " the caches alone: ./hypersync env",
          UserError.USAGE);
    }
    PrintWriter out = spec.commandLine().getOut();
    out.print(
        EnvReport.shell(
            name.isEmpty()
                ? EnvCommand.variablesOfPane(workspace.worker(), pane)
                : EnvCommand.variables(workspace.worker(), name)));
    out.flush();
    return 0;
  }
}
