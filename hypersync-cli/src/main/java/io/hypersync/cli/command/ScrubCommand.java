package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.cli.render.ScrubReport;
import io.hypersync.runtime.admin.AdminClient;
import io.hypersync.runtime.admin.UserError;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hypersync scrub}: has the leader read all that it has stored, and mend it. */
@Command(
    name = "scrub",
    description = {
      "Have the leader read all content that it has stored, and mend what has rotted.",
      "",
      "What is missing or damaged is fetched from a worker that has it. What no connected worker has"
          + " is lost: reads of it get EIO, and nothing else is harmed. The exit code is then 3,"
          + " with --status too."
    },
    synopsisHeading = "Usage: ",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync scrub",
      "  ./hypersync scrub --run",
      "  ./hypersync scrub --run --json",
      "  ./hypersync scrub --status --json"
    })
final class ScrubCommand implements Callable<Integer> {
  /** Exit code if the last scrub has found something that nobody has. */
  static final int LOST = 3;

  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final long POLL_MS = 200;

  /** A run may take hours: its progress is told less and less often. */
  private static final long MOST_POLLS_BETWEEN_LINES = 150;

  @Mixin private final Screen screen = new Screen();
  @Mixin private final LeaderSelection leader = new LeaderSelection();

  @Option(
      names = "--status",
      description = "Show what the last scrub found, and how far one is (default).")
  private boolean status;

  @Option(
      names = "--run",
      description = "Scrub now, and wait until that is done; ^C does not end it.")
  private boolean run;

  @Override
  public Integer call() {
    if (status && run) {
      throw new UserError("scrub: --status and --run exclude each other", "", UserError.USAGE);
    }
    AdminClient client = leader.client(LIMIT);
    JsonNode answer = run ? awaited(client) : ask(client, "status");
    screen.show(answer, () -> ScrubReport.of(answer));
    return exitCode(answer);
  }

  /** What a status says of the last run that has come to its end. */
  static int exitCode(JsonNode status) {
    return status.path("last").path("lost").asLong() > 0 ? LOST : 0;
  }

  private JsonNode awaited(AdminClient client) {
    JsonNode asked = ask(client, "run");
    long number = asked.path("number").asLong();
    String again = "./hypersync scrub" + leader.again();
    screen.tell(
        (asked.path("joined").asBoolean() ? "a scrub is running already, wait for it" : "scrubbing")
            + "; ^C leaves it running, then see: "
            + again);
    long lines = 1;
    for (long polls = 0; ; polls++) {
      JsonNode now = ask(client, "status");
      if (!now.path("epoch").equals(asked.path("epoch"))) {
        throw new UserError(
            "the leader was started again, and the scrub has ended with it",
            "Nothing was harmed. Scrub again: " + again + " --run");
      }
      if (now.path("ended").asLong() >= number) {
        return ended(now, number);
      }
      if (polls >= lines && now.path("current").isObject()) {
        screen.tell(ScrubReport.progress(now.path("current")));
        lines = polls + Math.clamp(polls, 1, MOST_POLLS_BETWEEN_LINES);
      }
      try {
        Thread.sleep(POLL_MS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new UserError("interrupted; the leader goes on", "See: " + again);
      }
    }
  }

  /** The status after a run that is over. */
  static JsonNode ended(JsonNode status, long number) {
    for (JsonNode each : status.path("runs")) {
      if (each.path("number").asLong() == number && !each.path("failure").isNull()) {
        throw new UserError(
            "the scrub was given up: " + each.path("failure").asText(),
            "What it has mended stays so. Scrub again when the cause is gone.");
      }
    }
    return status;
  }

  private static JsonNode ask(AdminClient client, String what) {
    return client.call("scrub", JsonNodeFactory.instance.objectNode().put("do", what));
  }
}
