package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.render.SnapshotReport;
import io.hypersync.runtime.admin.UserError;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code hypersync snapshot}: takes and manages the leader's snapshots (hypersync.md 13.1). */
@Command(
    name = "snapshot",
    description = {
      "Take a snapshot of the workspace now, or look at those there are.",
      "",
      "The leader takes snapshots by itself (snapshots.interval), starts from the newest one, and keeps"
          + " the newest ones (snapshots.retain). Those with a name or a pin are kept until they are"
          + " removed."
    },
    synopsisHeading = "Usage: ",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync snapshot",
      "  ./hypersync snapshot create before-the-rewrite",
      "  ./hypersync snapshot list --json",
      "  ./hypersync snapshot pin 48213",
      "  ./hypersync snapshot rm before-the-rewrite",
      "  ./hypersync snapshot verify 48213"
    })
final class SnapshotCommand implements Callable<Integer> {
  private static final Duration LIMIT = Duration.ofMinutes(31);

  /** What can be done. */
  enum Action {
    CREATE,
    LIST,
    PIN,
    UNPIN,
    RM,
    VERIFY;

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Mixin private final Screen screen = new Screen();
  @Mixin private final LeaderSelection leader = new LeaderSelection();

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "create|list|pin|unpin|rm|verify",
      description = "What to do (default: create).")
  private String action = "create";

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "<name or index>",
      description =
          "The name of the new snapshot, or which one is meant: by its name, or by the index of its"
              + " last entry.")
  private @Nullable String snapshot;

  @Override
  public Integer call() {
    Action wanted = parsed();
    ObjectNode request = JsonNodeFactory.instance.objectNode().put("do", wanted.word());
    if (snapshot != null) {
      request.put(wanted == Action.CREATE ? "name" : "snapshot", snapshot);
    }
    JsonNode answer = leader.client(LIMIT).call("snapshot", request);
    screen.show(
        answer,
        () ->
            wanted == Action.LIST
                ? SnapshotReport.list(answer)
                : SnapshotReport.one(wanted.word(), answer));
    return 0;
  }

  private Action parsed() {
    for (Action each : Action.values()) {
      if (each.word().equals(action)) {
        boolean needsOne = each != Action.CREATE && each != Action.LIST;
        if (needsOne && snapshot == null) {
          throw new UserError(
              "snapshot " + action + ": which one?",
              "Give its name or its index; ./hypersync snapshot list shows them.",
              UserError.USAGE);
        }
        if (each == Action.LIST && snapshot != null) {
          throw new UserError("snapshot list takes no name", "", UserError.USAGE);
        }
        return each;
      }
    }
    throw new UserError(
        "snapshot: expected create, list, pin, unpin, rm or verify, got \"" + action + "\"",
        "To give the new snapshot a name: ./hypersync snapshot create " + action,
        UserError.USAGE);
  }
}
