package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.disk.DiskChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStoreOptions;
import io.hypersync.cli.render.Quantities;
import io.hypersync.leader.conversion.LogConversion;
import io.hypersync.leader.conversion.LogConversion.Converted;
import io.hypersync.leader.oplog.OpLogCorruptException;
import io.hypersync.leader.oplog.chronicle.LogCut;
import io.hypersync.leader.recovery.ReplayException;
import io.hypersync.model.text.Printable;
import io.hypersync.runtime.admin.StateLock;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.FileProblems;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code hypersync convert}: converts a stopped leader's log to the latest version of roots. */
@Command(
    name = "convert",
    description = {
      "Convert the log of a stopped leader that an earlier version has written.",
      "Replays the log, compares its Merkle roots, and writes the same entries with roots of the"
          + " present version. The old log is kept beside the new one, in oplog.v1. It takes as"
          + " much room again as the log has, and twice the memory of the state. After an"
          + " interruption, run it again."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  ./hypersync convert /srv/team/state"})
final class ConvertCommand implements Callable<Integer> {
  @Mixin private final Screen screen = new Screen();

  @Parameters(
      paramLabel = "<state-dir>",
      description = "The leader's state directory, with its oplog and chunks.")
  private Path state = Path.of("");

  @Override
  public Integer call() {
    Path directory = state.toAbsolutePath().normalize();
    if (!hasLog(directory)) {
      throw new UserError(
          directory + " has no log: no leader has run there",
          "Name the state directory of a leader.",
          UserError.USAGE);
    }
    StateOwner.require(directory);
    Converted converted = convert(directory);
    ObjectNode tree =
        JsonNodeFactory.instance
            .objectNode()
            .put("state_dir", directory.toString())
            .put("entries", converted.entries())
            .put("root", converted.root().toString())
            .put("kept", converted.kept().toString());
    screen.show(tree, () -> text(converted));
    return 0;
  }

  private static boolean hasLog(Path directory) {
    try {
      return Files.isDirectory(directory.resolve("oplog")) || LogConversion.isUnfinished(directory);
    } catch (IOException e) {
      throw new UserError(
          "cannot read " + directory + ": " + FileProblems.describe(e), FileProblems.hint(e, ""));
    }
  }

  private Converted convert(Path directory) {
    try (StateLock _ = StateLock.acquire(directory, "hypersync convert");
        DiskChunkStore chunks =
            DiskChunkStore.open(directory.resolve("chunks"), DiskChunkStoreOptions.DEFAULT)) {
      if (!LogConversion.isUnfinished(directory) && LogCut.unfinished(directory).isPresent()) {
        throw new UserError(
            "a cut of the log in " + directory + " was interrupted",
            "Finish that first: ./hypersync cut-log");
      }
      return LogConversion.convert(
          directory, chunks, index -> screen.tell("replayed " + index + " entries"), _ -> {});
    } catch (IllegalStateException e) {
      throw new UserError(String.valueOf(e.getMessage()), "Nothing was changed.");
    } catch (ReplayException wrong) {
      throw new UserError(
          String.valueOf(wrong.getMessage()),
          "Nothing was changed. A log that is wrong is cut before it is converted:"
              + " docs/diverged.md");
    } catch (OpLogCorruptException corrupt) {
      throw new UserError(
          String.valueOf(corrupt.getMessage()),
          "A log that is damaged cannot be converted: restore " + directory + " from a copy.");
    } catch (IOException e) {
      throw new UserError(
          "cannot convert the log in " + directory + ": " + FileProblems.describe(e),
          FileProblems.hint(e, ""));
    } catch (ChunkStoreException e) {
      throw new UserError("cannot convert the log in " + directory + ": " + e.getMessage(), "");
    }
  }

  private static String text(Converted converted) {
    return "Converted "
        + Quantities.count(converted.entries())
        + " entries; the root is now "
        + Quantities.shortHex(converted.root().toString())
        + ".\nThe old log is in "
        + Printable.line(converted.kept().toString())
        + ": delete it once the leader runs again and all is well.\n"
        + "Start the leader, and the workers with the same version: they replay the new log.\n";
  }
}
