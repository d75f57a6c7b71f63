package io.hypersync.cli.profile;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import io.hypersync.cli.render.PrintableWriter;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.FileProblems;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs the command that is profiled, under strace if its system calls are wanted. */
public final class TracedCommand {
  private static final int NOT_FOUND = 127;

  private TracedCommand() {}

  /**
   * The outcome of a command.
   *
   * @param exitCode as a shell reports it
   * @param syscalls counts by {@link SyscallTrace}; JSON null if they were not wanted
   */
  public record Ended(int exitCode, JsonNode syscalls) {}

  /**
   * Runs the command to its end with the standard streams of this process.
   *
   * @param mount the mount whose system calls are counted
   * @param syscalls whether system calls are counted, with strace
   * @param quiet whether the command's standard output goes to standard error, so that standard
   *     output contains only the report
   * @throws UserError if it cannot be run
   */
  public static Ended run(List<String> command, Path mount, boolean syscalls, boolean quiet)
      throws InterruptedException {
    try {
      return syscalls
          ? traced(command, mount, quiet)
          : new Ended(await(command, quiet), NullNode.instance);
    } catch (IOException failure) {
      throw new UserError(
          "cannot run " + command.getFirst() + ": " + FileProblems.describe(failure),
          "The command comes after --, and is no shell's: for that, -- sh -c '...'",
          NOT_FOUND);
    }
  }

  private static Ended traced(List<String> command, Path mount, boolean quiet)
      throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("hypersync-profile-");
    Path pipe = folder.resolve("strace");
    try {
      if (new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor() != 0) {
        throw new IOException("no pipe can be made in " + folder);
      }
      Path here = Path.of("").toAbsolutePath();
      SyscallTrace trace = new SyscallTrace(mount, here.startsWith(mount));
      Thread reader = Thread.ofPlatform().daemon().start(() -> read(pipe, trace));
      List<String> strace =
          new ArrayList<>(
              List.of(
                  "strace",
                  "-f",
                  "-qq",
                  "-y",
                  "-e",
                  "trace=%file,%desc",
                  "-e",
                  "signal=none",
                  "-o",
                  pipe.toString(),
                  "--"));
      strace.addAll(command);
      int exitCode = await(strace, quiet);
      reader.join();
      return new Ended(exitCode, trace.tree());
    } finally {
      Files.deleteIfExists(pipe);
      Files.deleteIfExists(folder);
    }
  }

  private static void read(Path pipe, SyscallTrace trace) {
    try (BufferedReader lines = Files.newBufferedReader(pipe, StandardCharsets.ISO_8859_1)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        trace.line(line);
      }
    } catch (IOException failure) {
      PrintableWriter.to(System.err)
          .println("hypersync: the trace ends early: " + FileProblems.describe(failure));
    }
  }

  private static int await(List<String> command, boolean quiet)
      throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
    if (quiet) {
      builder.redirectOutput(ProcessBuilder.Redirect.appendTo(new File("/dev/stderr")));
    }
    return builder.start().waitFor();
  }

  /** Whether strace is on the {@code PATH}. */
  public static boolean hasStrace() {
    for (String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1)) {
      if (Files.isExecutable(Path.of(folder).resolve("strace"))) {
        return true;
      }
    }
    return false;
  }
}
