package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.cli.render.ReservationsReport;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code hypersync reservations}: what agents have reserved (hypersync.md 10.3). */
@Command(
    name = "reservations",
    description = {
      "Show which paths agents have reserved, which reservations are in each other's way, and"
          + " whether what is shown is up to date.",
      "",
      "The leader reads them in Agent Mail's archive (hypersync.agent_mail.archive), or asks its server"
          + " (hypersync.agent_mail.url). Who changes what another agent holds is shown by hazards, and"
          + " refused if hypersync.agent_mail.enforce is \"on\"."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync reservations",
      "  ./hypersync reservations --json | jq -r '.held[] | .agent + \" \" + .pattern'"
    })
final class ReservationsCommand implements Callable<Integer> {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  @Mixin private final Screen screen = new Screen();
  @Mixin private final LeaderSelection leader = new LeaderSelection();

  @Override
  public Integer call() {
    JsonNode known =
        leader.client(LIMIT).call("reservations", JsonNodeFactory.instance.objectNode());
    screen.show(known, () -> ReservationsReport.render(known));
    return 0;
  }
}
