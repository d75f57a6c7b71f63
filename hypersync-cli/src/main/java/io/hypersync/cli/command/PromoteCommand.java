package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.render.Quantities;
import io.hypersync.cli.runtime.LeaderPlan;
import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.leader.LeaderDaemonOptions;
import io.hypersync.leader.daemon.HeapBudget;
import io.hypersync.leader.lineage.Term;
import io.hypersync.leader.standby.Promotion;
import io.hypersync.leader.standby.Waited;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.text.ShellWords;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hypersync promote}: makes a stopped standby's state that of a leader. */
@Command(
    name = "promote",
    description = {
      "Make the state of a standby that of a leader, which is then started with ./hypersync leader.",
      "The standby must have been stopped, and must be complete; else it says what is missing.",
      "Be sure that the old leader is gone and does not come back: stop its service, or its host."
          + " Whoever leads without knowing of this one is found out by the first worker that has"
          + " seen both, not earlier. What the old leader has acknowledged and this standby does"
          + " not have is lost; with sync_standby = 1 that is nothing, or it is refused."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync promote --dir /srv/team --dry-run   # could it lead?",
      "  ./hypersync promote --dir /srv/team && ./hypersync leader --dir /srv/team",
      "  ./hypersync promote --dir /srv/team --accept-loss   # it may lack something, and there is no"
          + " other"
    })
final class PromoteCommand implements Callable<Integer> {
  @Mixin private final Screen screen = new Screen();
  @Mixin private final ConfigurationOptions configurationOptions = new ConfigurationOptions();
  @Mixin private final LeaderFolders folders = new LeaderFolders();

  @Option(
      names = "--term",
      paramLabel = "<number>",
      description =
          "Lead in this term, or in the next one if a higher one is known: the revision of the lock"
              + " that orders the promotion, so that no two leaders have one term.")
  private long term;

  @Option(names = "--dry-run", description = "Only look whether it is possible.")
  private boolean dryRun;

  @Option(
      names = "--accept-loss",
      description =
          "Promote it although the leader has, or may have, acknowledged something without it.")
  private boolean acceptsLoss;

  @Override
  public Integer call() {
    WorkspaceDirectory workspace = folders.open(configurationOptions);
    Configuration configuration = configurationOptions.read(workspace.configFile());
    StateOwner.require(LeaderPlan.stateDir(workspace, configuration));
    LeaderDaemonOptions options = LeaderPlan.options(workspace, configuration);
    Promotion.Promoted made =
        new Promotion(
                options.stateDir(),
                workspace.id(),
                HeapBudget.droppable(options.stateMemory(), options.stateHeapShare()),
                leastTerm())
            .promote(dryRun, acceptsLoss);
    ObjectNode result =
        JsonNodeFactory.instance
            .objectNode()
            .put("promoted", !dryRun)
            .put("index", made.index())
            .put("root", made.root().toString())
            .put("nodes", made.nodes())
            .put("term", made.term())
            .put("loss", made.loss().text());
    screen.show(result, () -> text(workspace, made));
    return 0;
  }

  private long leastTerm() {
    if (term < 0 || term > Term.MAX) {
      throw new UserError(
          "--term: expected 0 to " + Term.MAX, "Such as --term 17", UserError.USAGE);
    }
    return term;
  }

  private static String missing(Waited.Loss loss) {
    return switch (loss) {
      case NONE -> "It has all that was acknowledged.\n";
      case LAST_MOMENTS ->
          "The leader did not wait for it: what it has acknowledged in its last moments may be"
              + " missing.\n";
      case SINCE_ALONE ->
          "If the leader has gone on alone, all that it has acknowledged since then is missing.\n";
      case NOT_CAUGHT_UP ->
          "It had not caught up: something that was acknowledged may be missing.\n";
    };
  }

  private String text(WorkspaceDirectory workspace, Promotion.Promoted made) {
    return "Complete up to entry "
        + Quantities.count(made.index())
        + ", "
        + Quantities.count(made.nodes())
        + " files and directories.\n"
        + missing(made.loss())
        + (dryRun
            ? "It can be promoted, to term " + made.term() + ".\n"
            : "Term "
                + made.term()
                + ". Lead it: ./hypersync leader --dir "
                + ShellWords.quoted(workspace.root())
                + "\n");
  }
}
