package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.cli.daemons.HostClaims;
import io.hypersync.cli.render.LeadershipReport;
import io.hypersync.model.text.Printable;
import io.hypersync.runtime.admin.AdminClient;
import io.hypersync.runtime.admin.RunDirectory;
import io.hypersync.runtime.admin.UserError;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hypersync leadership}: which process of this host leads a workspace, and who waits. */
@Command(
    name = "leadership",
    subcommands = LeadershipCommand.ClaimCommand.class,
    description = {
      "Show which process of this host leads a workspace, and which ones wait to do so.",
      "With claim, a process that waits asks the leader to stop, and leads then."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync leadership",
      "  ./hypersync leadership --workspace team --json | jq '.claims[].pid'",
      "  ./hypersync leadership claim --workspace team"
    })
final class LeadershipCommand implements Callable<Integer> {
  @Mixin private final Screen screen = new Screen();
  @Mixin private final Where where = new Where();

  /** Options that say whose claims. */
  private static final class Where {
    @Option(
        names = "--run-dir",
        paramLabel = "<dir>",
        description = "Look for claims here (default: $HYPERSYNC_RUN_DIR, else /run/hypersync).")
    private @Nullable Path runDirectory;

    @Option(
        names = "--workspace",
        paramLabel = "<name or id>",
        description = "Of which workspace (default: all).")
    private @Nullable String workspace;

    HostClaims claims() {
      return new HostClaims(
          runDirectory == null ? RunDirectory.of(System.getenv()) : new RunDirectory(runDirectory));
    }

    Optional<String> workspace() {
      return Optional.ofNullable(workspace);
    }
  }

  @Override
  public Integer call() {
    JsonNode found = where.claims().json(where.workspace());
    screen.show(found, () -> LeadershipReport.of(found));
    return 0;
  }

  /** {@code hypersync leadership claim}: lets a process that waits ask for the claim. */
  @Command(
      name = "claim",
      description = {
        "Let a process that waits to lead ask for the claim.",
        "The leader stops within 5 s, cleanly, and waits in its turn; the one that asked leads within"
            + " 5 s more. A leader that does not answer is not waited for: its claim is taken when"
            + " it was not refreshed for 10 s."
      },
      footerHeading = "%nExamples:%n",
      footer = {
        "  ./hypersync leadership claim",
        "  ./hypersync leadership claim --workspace team --instance 4711-9f2c66d81a0b4e55"
      })
  static final class ClaimCommand implements Callable<Integer> {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    @Mixin private final Screen screen = new Screen();
    @Mixin private final Where where = new Where();

    @Option(
        names = "--instance",
        paramLabel = "<instance>",
        description = "Which process, if several wait.")
    private @Nullable String instance;

    @Override
    public Integer call() {
      List<HostClaims.Waiting> waiting =
          where.claims().observers(where.workspace()).stream()
              .filter(
                  one ->
                      instance == null || one.status().path("instance").asText().equals(instance))
              .toList();
      if (waiting.isEmpty()) {
        throw new UserError(
            "no process waits to lead here",
            "Start one: ./hypersync leader --dir <workspace folder>. It observes while another one"
                + " leads.");
      }
      if (waiting.size() > 1) {
        throw new UserError(
            waiting.size() + " processes wait to lead",
            "Say which: --instance "
                + String.join(
                    " or ",
                    waiting.stream()
                        .map(one -> Printable.line(one.status().path("instance").asText()))
                        .toList()),
            UserError.USAGE);
      }
      JsonNode answer =
          new AdminClient(waiting.getFirst().socket(), LIMIT)
              .call("claim", JsonNodeFactory.instance.objectNode());
      screen.show(
          answer,
          () ->
              "instance "
                  + Printable.line(answer.path("instance").asText())
                  + " has asked for the claim; see ./hypersync leadership\n");
      return 0;
    }
  }
}
