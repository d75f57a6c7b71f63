package io.hypersync.cli.command;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code hypersync config}: the settings, and what is wrong with them. */
@Command(
    name = "config",
    subcommands = {ConfigShowCommand.class, ConfigCheckCommand.class, ConfigReloadCommand.class},
    description = {
      "Show settings, check a file of them, or have daemons read theirs again.",
      "All settings: docs/configuration.md."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync config show --dir /srv/team",
      "  ./hypersync config check /srv/team",
      "  ./hypersync config reload"
    })
final class ConfigCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    throw new CommandLine.ParameterException(
        spec.commandLine(), "what about the configuration? show, check or reload");
  }
}
