package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.disk.DiskChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStoreOptions;
import io.hypersync.cli.render.Quantities;
import io.hypersync.cli.runtime.LeaderPlan;
import io.hypersync.cli.trace.LogSurvey;
import io.hypersync.cli.trace.TraceException;
import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.leader.daemon.LineageFile;
import io.hypersync.leader.lineage.Lineage;
import io.hypersync.leader.oplog.OpLogCorruptException;
import io.hypersync.leader.oplog.chronicle.CutMark;
import io.hypersync.leader.oplog.chronicle.LogCut;
import io.hypersync.leader.recovery.ReplayException;
import io.hypersync.leader.standby.StandbyFile;
import io.hypersync.model.text.Printable;
import io.hypersync.runtime.admin.StateLock;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.DurableFiles;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.runtime.text.ShellWords;
import io.hypersync.snapshot.CollectedFile;
import io.hypersync.snapshot.SnapshotDirectory;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hypersync cut-log}: cuts a leader's log before a wrong entry (docs/diverged.md). */
@Command(
    name = "cut-log",
    description = {
      "Cut the log of a stopped leader after an entry: what was committed later is undone.",
      "Says what would be lost, and cuts nothing without --yes: it reads the log, and opens the"
          + " chunks as a leader does. What is cut is kept: the log as a trace, and its segments."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync cut-log --dir /srv/team --after 41372          # what would be lost?",
      "  ./hypersync cut-log --dir /srv/team --after 41372 --yes"
    })
final class CutLogCommand implements Callable<Integer> {
  private static final long NS_PER_SECOND = 1_000_000_000L;

  @Mixin private final Screen screen = new Screen();
  @Mixin private final ConfigurationOptions configurationOptions = new ConfigurationOptions();
  @Mixin private final LeaderFolders folders = new LeaderFolders();

  @Option(
      names = "--after",
      paramLabel = "<index>",
      required = true,
      description = "The last entry that stays.")
  private long after;

  @Option(
      names = "--out",
      paramLabel = "<file>",
      description = "Where the trace is written (default: in cut/ of the state directory).")
  private @Nullable Path out;

  @Option(
      names = "--no-trace",
      description = "Keep segments only: for a log whose chunks cannot all be read.")
  private boolean noTrace;

  @Option(names = "--yes", description = "Do it.")
  private boolean yes;

  @Override
  public Integer call() {
    WorkspaceDirectory workspace = folders.open(configurationOptions);
    Path state = LeaderPlan.stateDir(workspace, configurationOptions.read(workspace.configFile()));
    Path oplog = LeaderLog.require(state);
    StateOwner.require(state);
    StandbyFile.refuse(state);
    if (noTrace && out != null) {
      throw new UserError(
          "--out names a trace, and --no-trace wants none", "Give one of them.", UserError.USAGE);
    }
    try (StateLock _ = StateLock.acquire(state, "hypersync cut-log");
        DiskChunkStore chunks =
            DiskChunkStore.open(state.resolve("chunks"), DiskChunkStoreOptions.DEFAULT)) {
      cut(workspace, state, oplog, chunks);
      return 0;
    } catch (OpLogCorruptException corrupt) {
      throw new UserError(
          String.valueOf(corrupt.getMessage()),
          "A log that is damaged cannot be cut: restore " + state + " from a copy.");
    } catch (IOException e) {
      throw new UserError(
          "cannot cut the log in " + state + ": " + FileProblems.describe(e),
          FileProblems.hint(e, ""));
    } catch (ChunkStoreException e) {
      throw new UserError("cannot cut the log in " + state + ": " + e.getMessage(), "");
    }
  }

  private void cut(WorkspaceDirectory workspace, Path state, Path oplog, DiskChunkStore chunks)
      throws IOException {
    Optional<CutMark> begun = LogCut.unfinished(state);
    if (begun.isPresent() && begun.get().after() != after) {
      throw new UserError(
          "a cut after entry " + begun.get().after() + " was interrupted",
          "Finish that first: --after " + begun.get().after() + " --yes",
          UserError.USAGE);
    }
    if (begun.isEmpty()) {
      LogCut.Extent log = LogCut.extent(oplog);
      requirePossible(log, newestElsewhere(state));
      requireState(log, SnapshotDirectory.of(state).indexes());
    }
    LogSurvey survey = survey(workspace, state, chunks);
    CutMark kept = begun.isPresent() ? begun.get() : places(state);
    if (yes) {
      chunks.sync(); // kept entries need these chunks, and they may never have been synced
      if (begun.isEmpty() && kept.trace() != null) {
        keepTrace(workspace, state, chunks, kept.trace());
      }
      beginLineage(state, begun.isPresent());
      int moved = LogCut.cut(state, kept, _ -> {});
      if (moved > 0) {
        screen.tell("moved " + moved + " segments into " + kept.segments());
      }
    }
    ObjectNode tree = tree(workspace, survey, kept);
    screen.show(tree, () -> text(workspace, survey, kept));
  }

  /** What workers have seen is given up; before the cut, which may be interrupted. */
  private void beginLineage(Path state, boolean again) {
    String name = "cut after entry " + after;
    Lineage before = LineageFile.read(state);
    if (!again || !LineageFile.isDone(before, name)) {
      var _ = LineageFile.rewind(state, before, after, name);
    }
  }

  /**
   * The newest entry that snapshots and collections know. It is behind the end of a log that was
   * restored from an older copy; a cut after that one's last entry makes the rest fit to it.
   */
  private static long newestElsewhere(Path state) throws IOException {
    long newest = CollectedFile.most(state);
    for (long index : SnapshotDirectory.of(state).indexes()) {
      newest = Math.max(newest, index);
    }
    return newest;
  }

  private void requirePossible(LogCut.Extent log, long newestElsewhere) {
    long last = log.lastIndex();
    if (after == last && newestElsewhere > last) {
      return;
    }
    if (after < log.firstIndex() || after >= last) {
      throw new UserError(
          after < log.firstIndex()
              ? "the log has no entry " + after + ": it begins at entry " + log.firstIndex()
              : "nothing is behind entry " + after + ": the log ends at entry " + last,
          "Name the last entry that is to stay: --after <index>, from "
              + log.firstIndex()
              + " to "
              + (last - 1),
          UserError.USAGE);
    }
    if (after > log.durableIndex()) {
      throw new UserError(
          "entry " + after + " is not known to be on the disk",
          "Start the leader and stop it first"
              + (log.durableIndex() > 0
                  ? ", or cut after an entry that is: --after " + log.durableIndex()
                  : ""));
    }
  }

  /** Without a snapshot that stays, no leader could start on a log that was trimmed. */
  private void requireState(LogCut.Extent log, List<Long> snapshots) {
    OptionalLong oldest =
        snapshots.stream()
            .mapToLong(Long::longValue)
            .filter(index -> index >= log.firstIndex() - 1)
            .min();
    if (log.firstIndex() > 1 && (oldest.isEmpty() || oldest.getAsLong() > after)) {
      throw new UserError(
          "the log begins at entry "
              + log.firstIndex()
              + (oldest.isEmpty()
                  ? ", and no snapshot has what comes before it"
                  : ", and the oldest snapshot that has what comes before it is of entry "
                      + oldest.getAsLong()),
          oldest.isEmpty()
              ? "A backup may have what comes before it: ./hypersync init --from <backup>"
              : "Name that one, or a later one: --after " + oldest.getAsLong(),
          UserError.USAGE);
    }
  }

  private LogSurvey survey(WorkspaceDirectory workspace, Path state, DiskChunkStore chunks)
      throws IOException {
    try {
      return LogSurvey.of(
          state,
          workspace.id(),
          chunks,
          after,
          index -> screen.tell("looked at " + index + " entries"));
    } catch (ReplayException wrong) {
      throw new UserError(
          String.valueOf(wrong.getMessage()),
          "That entry is wrong, too: cut before it, --after <an index less than that>.");
    }
  }

  /** Chooses names for the segments and the trace that do not exist yet. */
  private CutMark places(Path state) {
    Path directory = state.resolve("cut");
    String name = "after-" + after;
    for (int i = 2; isTaken(directory, name); i++) {
      name = "after-" + after + "-" + i;
    }
    return new CutMark(after, directory.resolve(name), trace(directory, name));
  }

  private @Nullable Path trace(Path directory, String name) {
    if (noTrace) {
      return null;
    }
    if (out == null) {
      return directory.resolve(name + ".trace");
    }
    for (Path file : List.of(out, unfinished(out))) {
      if (isThere(file)) {
        throw new UserError(
            file + " exists; nothing was changed", "Write another file: --out <file>");
      }
    }
    return out.toAbsolutePath();
  }

  private static boolean isTaken(Path directory, String name) {
    Path trace = directory.resolve(name + ".trace");
    return isThere(directory.resolve(name)) || isThere(trace) || isThere(unfinished(trace));
  }

  private static boolean isThere(Path file) {
    return Files.exists(file, LinkOption.NOFOLLOW_LINKS);
  }

  private static Path unfinished(Path trace) {
    return trace.resolveSibling(trace.getFileName() + ".unfinished");
  }

  private void keepTrace(
      WorkspaceDirectory workspace, Path state, DiskChunkStore chunks, Path trace)
      throws IOException {
    try {
      writeTrace(workspace, state, chunks, trace);
    } catch (TraceException | ChunkStoreException e) {
      throw new UserError(
          "the log cannot be kept as a trace, and was not cut: " + e.getMessage(),
          "Cut it without: --no-trace. Then segments are all that is kept of what goes.");
    }
  }

  /** Writes the trace. Afterwards the file is complete and on stable storage, or does not exist. */
  private void writeTrace(
      WorkspaceDirectory workspace, Path state, DiskChunkStore chunks, Path trace)
      throws IOException {
    Path directory = trace.toAbsolutePath().getParent();
    if (directory == null) {
      throw new IOException(trace + " is not the name of a file");
    }
    if (!Files.isDirectory(directory)) {
      DurableFiles.createDirectories(directory, DurableFiles.OWNER_ONLY_DIRECTORY);
    }
    Path unfinished = unfinished(trace);
    try (FileChannel channel =
        FileChannel.open(
            unfinished,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            DurableFiles.OWNER_ONLY)) {
      try (OutputStream file = new BufferedOutputStream(Channels.newOutputStream(channel))) {
        var _ = LogSurvey.trace(state, workspace.id(), chunks, after, file);
        file.flush();
        channel.force(true);
        Files.move(unfinished, trace, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(unfinished); // created here: CREATE_NEW would have failed otherwise
      }
    }
    DurableFiles.syncDirectory(directory);
  }

  private ObjectNode tree(WorkspaceDirectory workspace, LogSurvey survey, CutMark kept) {
    ObjectNode tree =
        JsonNodeFactory.instance
            .objectNode()
            .put("workspace", workspace.id().toString())
            .put("done", yes)
            .put("after", after)
            .put("root", survey.root().toString())
            .put("entries_kept", survey.kept())
            .put("entries_cut", survey.cut())
            .put("bytes_cut", survey.bytes())
            .put("files_without_content", survey.lostFiles())
            .put("bytes_without_content", survey.lostBytes());
    tree.put("first_committed_at", survey.cut() == 0 ? null : time(survey.firstNs()));
    tree.put("last_committed_at", survey.cut() == 0 ? null : time(survey.lastNs()));
    ObjectNode workers = tree.putObject("workers");
    new TreeMap<>(survey.byWorker()).forEach(workers::put);
    return tree.put("trace", kept.trace() == null ? null : kept.trace().toString())
        .put("segments", kept.segments().toString());
  }

  private String text(WorkspaceDirectory workspace, LogSurvey survey, CutMark kept) {
    StringBuilder text = new StringBuilder();
    text.append(yes ? "Cut the log of workspace " : "Of the log of workspace ")
        .append(workspace.name())
        .append(" after entry ")
        .append(Quantities.count(after))
        .append(yes ? ":\n" : " this would be cut:\n");
    text.append(
        String.format(
            "  %-8s %s entries, root %s%n",
            "kept",
            Quantities.count(survey.kept()),
            Quantities.shortHex(survey.root().toString())));
    text.append(
        String.format(
            "  %-8s %s entries, which wrote %s%n",
            "cut", Quantities.count(survey.cut()), Quantities.bytes(survey.bytes())));
    if (survey.lostFiles() > 0) {
      text.append(
          String.format(
              "  %-8s content of %s in %s files: it was overwritten later and collected, and reads of it fail%n",
              "lost", Quantities.bytes(survey.lostBytes()), Quantities.count(survey.lostFiles())));
    }
    if (survey.cut() > 0) {
      text.append(
          String.format("  %-8s %s to %s%n", "of", time(survey.firstNs()), time(survey.lastNs())));
      for (Map.Entry<String, Long> worker : new TreeMap<>(survey.byWorker()).entrySet()) {
        text.append(
            String.format(
                "  %-8s %s by %s%n",
                "", Quantities.count(worker.getValue()), Printable.line(worker.getKey())));
      }
    }
    if (kept.trace() != null) {
      text.append(yes ? "The log as it was is in " : "The log as it is would be kept in ")
          .append(Printable.line(kept.trace().toString()))
          .append('\n');
    } else {
      text.append(yes ? "Segments with what was cut are in " : "Segments would be kept in ")
          .append(Printable.line(kept.segments().toString()))
          .append('\n');
    }
    if (yes) {
      text.append(
              "Start the leader. A worker that says it followed another log has to be restarted")
          .append(": what it has beyond entry ")
          .append(Quantities.count(after))
          .append(" is undone.\n");
    } else {
      text.append("The log was only read; its chunks were opened as a leader opens them.\n")
          .append("Nothing was cut. Do it: ./hypersync cut-log --dir ")
          .append(ShellWords.quoted(workspace.root()))
          .append(" --after ")
          .append(after)
          .append(noTrace ? " --no-trace --yes\n" : " --yes\n");
    }
    return text.toString();
  }

  private static String time(long ns) {
    return Instant.ofEpochSecond(ns / NS_PER_SECOND, ns % NS_PER_SECOND).toString();
  }
}
