package io.hypersync.cli.command;

import io.hypersync.leader.leadership.LeaderGate;
import io.hypersync.leader.leadership.LeaderSeat;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options {@code --moved} and {@code --force-rewind}: on which state a process may lead. */
final class SeatOptions {
  @Option(
      names = "--moved",
      description =
          "The state directory has been moved, or copied, to where it is: lead it here from now on."
              + " Nobody may lead the one that it is a copy of.")
  private boolean moved;

  @Option(
      names = "--force-rewind",
      paramLabel = "<name>",
      description =
          "Lead this state although workers have seen a newer one: begin a new lineage of this name"
              + " here. What came after is given up.")
  private @Nullable String rewind;

  LeaderSeat seat() {
    return new LeaderSeat(LeaderGate.ALONE, moved, Optional.ofNullable(rewind));
  }
}
