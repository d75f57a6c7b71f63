package io.hypersync.cli.command;

import io.hypersync.runtime.admin.UserError;
import io.hypersync.worker.identity.AgentName;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option {@code --agent}: who is going to work. */
final class AgentOption {
  @Option(
      names = "--agent",
      paramLabel = "<name>",
      description = "The agent's name, as the log has it: 1 to 255 bytes, all visible.")
  private @Nullable String agent;

  /**
   * The name; empty if none was given.
   *
   * @throws UserError if it cannot be a name
   */
  String name() {
    if (agent == null) {
      return AgentName.NONE;
    }
    String name = AgentName.of(agent.getBytes(StandardCharsets.UTF_8));
    if (name.isEmpty()) {
      throw new UserError(
          "--agent: expected a name of 1 to 255 bytes without invisible characters, got \""
              + agent
              + '"',
          "",
          UserError.USAGE);
    }
    return name;
  }
}
