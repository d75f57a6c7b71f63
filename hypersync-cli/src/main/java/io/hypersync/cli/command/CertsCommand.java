package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.render.CertificateReport;
import io.hypersync.runtime.admin.UserError;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code hypersync certs}: the certificates of a workspace (hypersync.md 18). */
@Command(
    name = "certs",
    description = {
      "Show the certificates of a workspace, or revoke one.",
      "",
      "Each worker has a certificate in its token. A worker whose certificate is revoked is cut off"
          + " at once and never let in again: its mount becomes read-only, its locks are freed. It"
          + " keeps what it has stored. There is no way back but a new token in a new state"
          + " directory. To be run on the leader's host."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync certs list",
      "  ./hypersync certs list --json | jq -r '.certificates[] | .serial + \" \" + .kind'",
      "  ./hypersync certs revoke fmd --reason \"laptop was stolen\"",
      "  ./hypersync certs revoke 5d0c33a9b2f14b6e8f    # one certificate of several of a worker"
    })
final class CertsCommand implements Callable<Integer> {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final String LIST = "list";
  private static final String REVOKE = "revoke";

  @Mixin private final Screen screen = new Screen();
  @Mixin private final LeaderSelection leader = new LeaderSelection();

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "list|revoke",
      description = "What to do (default: list).")
  private String action = LIST;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "<worker or serial>",
      description =
          "Whose certificates: a worker's name means all that it has now, a serial number one of"
              + " them.")
  private @Nullable String name;

  @Option(
      names = "--reason",
      paramLabel = "<text>",
      description = "Why, for people; the worker is told, too. At most 100 characters.")
  private String reason = "";

  @Option(
      names = "--force",
      description =
          "Revoke also what others rely on: of a standby that is waited for, of the leader's own"
              + " mount, or of a name that is not known.")
  private boolean isForced;

  @Override
  public Integer call() {
    ObjectNode request = JsonNodeFactory.instance.objectNode().put("do", action);
    switch (action) {
      case LIST -> {
        if (name != null) {
          throw new UserError("certs list takes no name", "", UserError.USAGE);
        }
        JsonNode found = leader.client(LIMIT).call("certs", request);
        screen.show(found, () -> CertificateReport.list(found));
      }
      case REVOKE -> {
        if (name == null) {
          throw new UserError(
              "certs revoke: whose certificate?",
              "Give a worker's name or a serial number; ./hypersync certs list shows them.",
              UserError.USAGE);
        }
        request.put("name", name).put("reason", reason).put("force", isForced);
        JsonNode done = leader.client(LIMIT).call("certs", request);
        screen.show(done, () -> CertificateReport.revoked(done));
      }
      default ->
          throw new UserError(
              "certs: expected list or revoke, got \"" + action + "\"",
              "See ./hypersync certs --help.",
              UserError.USAGE);
    }
    return 0;
  }
}
