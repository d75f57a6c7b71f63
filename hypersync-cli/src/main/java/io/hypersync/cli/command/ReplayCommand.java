package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.cli.trace.TemporaryStore;
import io.hypersync.cli.trace.TraceException;
import io.hypersync.cli.trace.TraceReader;
import io.hypersync.cli.trace.TraceReplay;
import io.hypersync.cli.trace.TraceReport;
import io.hypersync.cli.trace.TraceReport.Mismatch;
import io.hypersync.model.text.Printable;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.runtime.text.ShellWords;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code hypersync replay}: replays a trace and compares its Merkle roots (hypersync.md 22.2). */
@Command(
    name = "replay",
    description = {
      "Replay a trace as a new worker would, from nothing or from the state that it begins with,"
          + " and compare the Merkle roots.",
      "Exits with 1 if one of them differs, or if the trace is damaged."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync replay team.trace",
      "  ./hypersync replay team.trace --json | jq .root"
    })
final class ReplayCommand implements Callable<Integer> {
  @Mixin private final Screen screen = new Screen();

  @Parameters(paramLabel = "<trace>", description = "The file, made by ./hypersync trace.")
  private Path trace = Path.of("");

  @Override
  public Integer call() {
    if (!Files.isRegularFile(trace)) {
      throw new UserError(
          "there is no trace " + trace,
          "Make one of a stopped leader: ./hypersync trace --dir <dir> --out "
              + ShellWords.quoted(trace),
          UserError.USAGE);
    }
    TraceReport report = replay();
    screen.show(tree(report), () -> text(report));
    return report.mismatch() == null ? 0 : 1;
  }

  private TraceReport replay() {
    try (InputStream in = new BufferedInputStream(Files.newInputStream(trace));
        TemporaryStore temporary = TemporaryStore.create()) {
      return TraceReplay.replay(new TraceReader(in), temporary.store(), this::tell);
    } catch (TraceException e) {
      throw new UserError(trace + ": " + e.getMessage(), "");
    } catch (IOException e) {
      throw new UserError(
          "cannot replay " + trace + ": " + FileProblems.describe(e), FileProblems.hint(e, ""));
    } catch (ChunkStoreException e) {
      throw new UserError(
          "cannot replay " + trace + ": " + e.getMessage(),
          "Its chunks are stored in " + System.getProperty("java.io.tmpdir") + " meanwhile.");
    }
  }

  private void tell(long index) {
    screen.tell("replayed " + index + " entries");
  }

  private ObjectNode tree(TraceReport report) {
    ObjectNode tree =
        JsonNodeFactory.instance
            .objectNode()
            .put("trace", trace.toString())
            .put("version", report.version())
            .put("begins_after", report.begin())
            .put("entries", report.entries())
            .put("chunks", report.chunks())
            .put("checkpoints", report.checkpoints())
            .put("root", report.root().toString())
            .put("ok", report.mismatch() == null);
    Mismatch mismatch = report.mismatch();
    if (mismatch == null) {
      tree.putNull("mismatch");
    } else {
      tree.putObject("mismatch")
          .put("log_index", mismatch.index())
          .put("message", mismatch.message());
    }
    return tree;
  }

  private static String text(TraceReport report) {
    String begin =
        report.begin() == 0 ? "" : "begins with the state after entry " + report.begin() + "\n";
    String counts =
        begin
            + report.entries()
            + (" entries, " + report.chunks() + " chunks, ")
            + (report.checkpoints() + " checkpoints\nroot " + report.root() + "\n");
    Mismatch mismatch = report.mismatch();
    return mismatch == null
        ? counts + "ok\n"
        : counts
            + "mismatch at entry "
            + mismatch.index()
            + ": "
            + Printable.line(mismatch.message())
            + "\n";
  }
}
