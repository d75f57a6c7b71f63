package io.hypersync.cli.command;

import io.hypersync.cli.demo.DemoCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** What all commands hang on; by itself it shows the usage. */
@Command(
    name = "hypersync",
    description = "One shared workspace for many machines, one durable log behind it.",
    synopsisSubcommandLabel = "<command>",
    subcommands = {
      DemoCommand.class,
      InitCommand.class,
      TokenCommand.class,
      UmountCommand.class,
      StatusCommand.class,
      LogCommand.class,
      WhySlowCommand.class,
      ProfileCommand.class,
      TraceCommand.class,
      ReplayCommand.class,
    },
    footerHeading = "%nExamples:%n",
    footer = {"  ./hypersync demo", "  ./hypersync status --json", "  ./hypersync help worker"})
public final class HypersyncCommand implements Runnable {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = ScopeType.INHERIT,
      description = "Show this help.")
  boolean help;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    throw new CommandLine.ParameterException(spec.commandLine(), "which command?");
  }
}
