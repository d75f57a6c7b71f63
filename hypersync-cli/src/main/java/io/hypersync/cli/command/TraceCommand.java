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
      "All contents of the workspace are in it, those of removed files too."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync trace --dir /srv/team --out team.trace",
      "  ./hypersync trace --dir /srv/team --state-dir /fast/team --out team.trace"
    })
final class TraceCommand implements Callable<Integer> {
  @Mixin private final Screen screen = new Screen();
  @Mixin private final ConfigurationOptions configurationOptions = new ConfigurationOptions();
  @Mixin private final LeaderFolders folders = new LeaderFolders();

  @Option(
      names = "--out",
      paramLabel = "<file>",
      required = true,
      description = "The file to write; it must not exist.")
  private Path out = Path.of("");

  @Override
  public Integer call() {
    WorkspaceDirectory workspace = folders.open(configurationOptions);
    Path state = LeaderPlan.stateDir(workspace, configurationOptions.read(workspace.configFile()));
    var _ = LeaderLog.require(state);
    if (Files.exists(out)) {
      throw new UserError(out + " exists; nothing was changed", "Write another file: --out <file>");
    }
    TraceWriter written = write(state);
    ObjectNode tree =
        JsonNodeFactory.instance
            .objectNode()
            .put("workspace", workspace.id().toString())
            .put("trace", out.toString())
            .put("entries", written.entries())
            .put("chunks", written.chunks())
            .put("root", written.root().toString());
    screen.show(
        tree,
        () ->
            "Wrote "
                + Printable.line(out.toString())
                + (": " + written.entries() + " entries, " + written.chunks() + " chunks.\n")
                + ("Check it: ./hypersync replay " + ShellWords.quoted(out) + "\n"));
    return 0;
  }

  /**
   * Writes the trace. An unfinished file would look like a damaged one, so it is removed on
   * failure.
   */
  private TraceWriter write(Path state) {
    boolean done = false;
    try {
      TraceWriter written;
      try (OutputStream file =
          new BufferedOutputStream(
              Files.newOutputStream(
                  out, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))) {
        written = StateTrace.write(state, file, this::tell);
      }
      done = true;
      return written;
    } catch (IOException e) {
      throw new UserError(
          "cannot write the trace " + out + ": " + FileProblems.describe(e),
          FileProblems.hint(e, ""));
    } catch (ReplayException | ChunkStoreException e) {
      throw new UserError("cannot trace " + state + ": " + e.getMessage(), "");
    } finally {
      if (!done) {
        remove();
      }
    }
  }

  private void remove() {
    try {
      Files.deleteIfExists(out);
    } catch (IOException e) {
      screen.tell("cannot remove the unfinished " + out + ": " + FileProblems.describe(e));
    }
  }

  private void tell(long index) {
    screen.tell("wrote " + index + " entries");
  }
}
