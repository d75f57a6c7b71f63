package io.hypersync.cli.command;

import io.hypersync.cli.robot.Robot;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code hypersync robot}: answers for programs (hypersync.md 16.1). Here for its help only: {@link
 * Robot} reads the words, because programs ask all the time.
 */
@Command(
    name = "robot",
    description = {
      "Answer programs: always one JSON document, in the envelope of NTM's robot commands"
          + " (docs/json.md, docs/schemas).",
      "",
      "  snapshot      the workspace, its workers, active hazards and reservations",
      "  status        the workspace in short: whether it can be written, how far it is",
      "  workers       the workers: health, lag, load, agents (--limit, --offset)",
      "  hazards       where agents have changed the same things (--limit, --offset, --since 10m)",
      "  reservations  which paths agents have reserved (--limit, --offset)",
      "  who <path>    who has changed a path last",
      "  place         where agents are to be started (--count, --session, --explain)",
      "  health        what is wrong, and what to do about it",
      "  capabilities  what these commands can do; needs no daemon",
      "",
      "All take --workspace <name or id> and --run-dir <dir>. The exit code is 0 if there is an"
          + " answer, also one that says that something is wrong; 1 for an error; 2 if something is"
          + " not available, such as a daemon."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync robot snapshot | jq .hypersync.workers",
      "  ./hypersync robot place --count 12 --session payments",
      "  ./hypersync robot health | jq -r '.checks[] | select(.ok|not) | .detail'"
    })
final class RobotCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(arity = "0..*", paramLabel = "<what>", description = "One of the words above.")
  private List<String> words = List.of();

  @Override
  public Integer call() {
    return Robot.run(
        words,
        System.getenv(),
        Path.of("").toAbsolutePath(),
        Instant.now(),
        spec.commandLine().getOut(),
        spec.commandLine().getErr());
  }
}
