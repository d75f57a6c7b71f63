package io.hypersync.cli.command;

import io.hypersync.cli.config.Units;
import io.hypersync.cli.top.Top;
import io.hypersync.cli.top.View;
import io.hypersync.cli.top.terminal.JLineScreen;
import io.hypersync.runtime.admin.UserError;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hypersync top}: what a workspace and its agents do, on one screen (hypersync.md 16). */
@Command(
    name = "top",
    description = {
      "Show what a workspace and its agents do, on one screen: daemons, agents, conflicts, hot"
          + " paths, hosts, locks, latency, storage, the log, and what is wrong.",
      "? says for each figure what it is, why it matters and when to worry; q ends it.",
      "Only admin sockets of this host are asked, never a mount. Run it on the leader's host to see"
          + " all hosts.",
      "With --once it exits with 1 if no daemon answers."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync top",
      "  ./hypersync top --view agents --interval 1s",
      "  ./hypersync top --once",
      "  ./hypersync top --json --view locks | jq -r '.views.locks.rows[].owner'"
    })
final class TopCommand implements Callable<Integer> {
  private static final Duration SHORTEST = Duration.ofMillis(200);
  private static final Duration LONGEST = Duration.ofSeconds(60);
  private static final Duration ON_SCREEN = Duration.ofSeconds(2);
  private static final Duration AT_ONCE = Duration.ofSeconds(1);
  private static final int WIDTH = 160;
  private static final int NARROWEST = 40;
  private static final int WIDEST = 1_000;

  @Mixin private final Screen screen = new Screen();
  @Mixin private final DaemonSelection selection = new DaemonSelection();

  @Option(
      names = "--workspace",
      paramLabel = "<name or id>",
      description = "Of this workspace only, if several are on this machine.")
  private String workspace = "";

  @Option(
      names = "--view",
      paramLabel = "<view>",
      description =
          "What is shown first: overview, agents, conflicts, hot, hosts, locks, latency, storage,"
              + " log or findings. With --once or --json: only this one.")
  private @Nullable String view;

  @Option(
      names = "--interval",
      paramLabel = "<duration>",
      description =
          "How often daemons are asked, 200ms to 60s (default: 2s; with --once or --json the time"
              + " between two looks, 1s).")
  private @Nullable String interval;

  @Option(names = "--once", description = "Write it once, as text, and end; no terminal is needed.")
  private boolean once;

  @Override
  public Integer call() throws InterruptedException {
    Optional<View> wanted = Optional.ofNullable(view).map(TopCommand::view);
    Map<String, String> environment = System.getenv();
    boolean isOnce = once || screen.isJson();
    Top top = new Top(selection::daemons, every(isOnce ? AT_ONCE : ON_SCREEN), environment);
    if (!isOnce) {
      boolean hasColours = environment.getOrDefault("NO_COLOR", "").isEmpty();
      top.run(
          wanted.orElse(View.OVERVIEW),
          workspace,
          () -> JLineScreen.open(Optional.ofNullable(environment.get("TERM")), hasColours));
      return 0;
    }
    List<View> views = wanted.map(List::of).orElseGet(() -> List.of(View.values()));
    Top.Once found = top.once(views, workspace, width(environment));
    screen.show(found.json(), found::text);
    return found.isSomebodyHere() ? 0 : UserError.FAILED;
  }

  private static View view(String word) {
    return View.of(word)
        .orElseThrow(
            () ->
                new UserError(
                    "there is no view \"" + word + '"',
                    "These are there: "
                        + Arrays.stream(View.values())
                            .map(View::word)
                            .collect(Collectors.joining(", ")),
                    UserError.USAGE));
  }

  private Duration every(Duration otherwise) {
    if (interval == null) {
      return otherwise;
    }
    Duration said;
    try {
      said = Units.parseDuration(interval);
    } catch (IllegalArgumentException e) {
      throw new UserError("--interval: " + e.getMessage(), "Such as 500ms or 2s.", UserError.USAGE);
    }
    if (said.compareTo(SHORTEST) < 0 || said.compareTo(LONGEST) > 0) {
      throw new UserError(
          "--interval: expected 200ms to 60s, got " + interval, "", UserError.USAGE);
    }
    return said;
  }

  /** What a shell says of the window, if it is exported. */
  private static int width(Map<String, String> environment) {
    try {
      return Math.clamp(
          Integer.parseInt(environment.getOrDefault("COLUMNS", Integer.toString(WIDTH))),
          NARROWEST,
          WIDEST);
    } catch (NumberFormatException e) {
      return WIDTH;
    }
  }
}
