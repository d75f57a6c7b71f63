package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.daemons.Daemons;
import io.hypersync.cli.render.Quantities;
import io.hypersync.cli.support.OutsideOfMounts;
import io.hypersync.cli.support.SupportArchive;
import io.hypersync.model.text.Printable;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hypersync support}: one archive for whoever helps from afar (hypersync.md 16). */
@Command(
    name = "support",
    description = {
      "Gather what somebody needs who helps from afar into one archive: status, metrics, logs,"
          + " settings, threads, mounts, findings. Nothing is sent anywhere, and no mount is"
          + " touched.",
      "Keys, tokens, contents of files and names of files in the workspace are left out. README.txt"
          + " in the archive says what is in it, and what could not be had."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync support",
      "  ./hypersync support --out /tmp/team.tar.gz",
      "  ./hypersync support --no-logs --json"
    })
final class SupportCommand implements Callable<Integer> {
  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT).withZone(ZoneOffset.UTC);

  @Mixin private final Screen screen = new Screen();
  @Mixin private final DaemonSelection selection = new DaemonSelection();

  @Option(
      names = "--out",
      paramLabel = "<file>",
      description =
          "Where it is written (default: hypersync-support-<time>.tar.gz in this directory, or in"
              + " /tmp if this directory is in a workspace).")
  private @Nullable Path out;

  @Option(names = "--no-logs", description = "Leave logs out: they may name files.")
  private boolean noLogs;

  private Path file() {
    OutsideOfMounts outside = OutsideOfMounts.now();
    if (out != null) {
      return outside.checked(out);
    }
    String name = "hypersync-support-" + STAMP.format(Instant.now()) + ".tar.gz";
    Path here = Path.of("").toAbsolutePath();
    Path file = outside.inOrElsewhere(here, name);
    if (!here.equals(file.getParent())) {
      screen.tell(
          "This directory is in a workspace: the archive goes to "
              + Printable.line(file.toString()));
      return file;
    }
    return Path.of(name);
  }

  @Override
  public Integer call() throws InterruptedException {
    Path file = file();
    Daemons daemons = selection.daemons();
    if (daemons.sockets().isEmpty()) {
      screen.tell(
          "No HyperSync daemon runs on this machine (looked in "
              + Printable.line(daemons.searched().toString())
              + "): only the host is in the archive.");
    }
    SupportArchive.Gathered gathered =
        SupportArchive.write(
            file, daemons, System.getenv(), !noLogs, what -> screen.tell("asking for " + what));
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("file", Printable.line(file.toAbsolutePath().toString()));
    json.put("files", gathered.files());
    json.put("bytes", gathered.bytes());
    ArrayNode failed = json.putArray("failed");
    gathered.failed().forEach(failed::add);
    screen.show(
        json,
        () -> {
          StringBuilder text = new StringBuilder();
          gathered.failed().forEach(line -> text.append("not there: ").append(line).append('\n'));
          return text.append(Printable.line(file.toString()))
              .append(": ")
              .append(gathered.files())
              .append(" files, ")
              .append(Quantities.bytes(gathered.bytes()))
              .append(". Look into README.txt in it before you give it away.\n")
              .toString();
        });
    return 0;
  }
}
