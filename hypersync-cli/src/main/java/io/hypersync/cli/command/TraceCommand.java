package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.cli.runtime.LeaderPlan;
import io.hypersync.cli.trace.StateTrace;
import io.hypersync.cli.trace.TraceWriter;
import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.leader.recovery.ReplayException;
import io.hypersync.model.text.Printable;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.runtime.text.ShellWords;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code hypersync trace}: writes a stopped leader's log and chunks into one file (hypersync.md
 * 22.2).
 */
@Command(
    name = "trace",
    description = {
      "Write the log of a stopped leader and its chunks into one file, for ./hypersync replay.",
      "All contents that its entries have written are in it, those of removed files too. If the log"
          + " was trimmed, or content was collected (./hypersync gc), it begins with the oldest"
          + " snapshot behind that; --check compares all roots of the log without a trace."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync trace --dir /srv/team --out team.trace",
      "  ./hypersync trace --dir /srv/team --state-dir /fast/team --out team.trace",
      "  ./hypersync trace --dir /srv/team --check"
    })
final class TraceCommand implements Callable<Integer> {
  @Mixin private final Screen screen = new Screen();
  @Mixin private final ConfigurationOptions configurationOptions = new ConfigurationOptions();
  @Mixin private final LeaderFolders folders = new LeaderFolders();

  @Option(
      names = "--out",
      paramLabel = "<file>",
      description = "The file to write; it must not exist.")
  private @Nullable Path out;

  @Option(
      names = "--check",
      description = "Write no file: replay the log, and compare the root of each entry.")
  private boolean check;

  @Override
  public Integer call() {
    WorkspaceDirectory workspace = folders.open(configurationOptions);
    Path state = LeaderPlan.stateDir(workspace, configurationOptions.read(workspace.configFile()));
    var _ = LeaderLog.require(state);
    Path file = out;
    if (check == (file != null)) {
      throw new UserError("trace: either --out <file> or --check is needed", "", UserError.USAGE);
    }
    if (file == null) {
      return checked(workspace, state);
    }
    if (Files.exists(file)) {
      throw new UserError(
          file + " exists; nothing was changed", "Write another file: --out <file>");
    }
    TraceWriter written = write(workspace, state, file);
    ObjectNode tree =
        JsonNodeFactory.instance
            .objectNode()
            .put("workspace", workspace.id().toString())
            .put("trace", file.toString())
            .put("begins_after", written.begin())
            .put("entries", written.entries())
            .put("chunks", written.chunks())
            .put("root", written.root().toString());
    screen.show(
        tree,
        () ->
            "Wrote "
                + Printable.line(file.toString())
                + (": " + written.entries() + " entries, " + written.chunks() + " chunks.\n")
                + beginning(written.begin())
                + ("Check it: ./hypersync replay " + ShellWords.quoted(file) + "\n"));
    return 0;
  }

  private static String beginning(long begin) {
    return begin == 0
        ? ""
        : "It begins with the snapshot of entry "
            + begin
            + ": earlier entries were trimmed, or their content was collected.\n";
  }

  /**
   * Writes the trace. An unfinished file would look like a damaged one, so it is removed on
   * failure.
   */
  private TraceWriter write(WorkspaceDirectory workspace, Path state, Path file) {
    boolean done = false;
    try {
      TraceWriter written;
      try (OutputStream bytes =
          new BufferedOutputStream(
              Files.newOutputStream(
                  file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))) {
        written = StateTrace.write(state, workspace.id(), bytes, this::tell);
      }
      done = true;
      return written;
    } catch (IOException e) {
      throw new UserError(
          "cannot write the trace " + file + ": " + FileProblems.describe(e),
          FileProblems.hint(e, ""));
    } catch (ReplayException | ChunkStoreException e) {
      throw new UserError("cannot trace " + state + ": " + e.getMessage(), "");
    } finally {
      if (!done) {
        remove(file);
      }
    }
  }

  private void remove(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      screen.tell("cannot remove the unfinished " + file + ": " + FileProblems.describe(e));
    }
  }

  private int checked(WorkspaceDirectory workspace, Path state) {
    StateTrace.Checked found;
    try {
      found = StateTrace.check(state, workspace.id(), this::tell);
    } catch (IOException e) {
      throw new UserError(
          "cannot read the log in " + state + ": " + FileProblems.describe(e),
          FileProblems.hint(e, ""));
    } catch (ReplayException | ChunkStoreException e) {
      throw new UserError("the log in " + state + " is wrong: " + e.getMessage(), "");
    }
    ObjectNode tree =
        JsonNodeFactory.instance
            .objectNode()
            .put("workspace", workspace.id().toString())
            .put("begins_after", found.begin())
            .put("entries", found.entries())
            .put("root", found.end().root().toString());
    screen.show(
        tree,
        () ->
            "All "
                + found.entries()
                + (" entries" + behind(found.begin()))
                + " lead to the roots that the log says; the last is "
                + found.end().root()
                + "\n");
    return 0;
  }

  private static String behind(long begin) {
    return begin == 0 ? "" : " behind the snapshot of entry " + begin;
  }

  private void tell(long index) {
    screen.tell("looked at " + index + " entries");
  }
}
