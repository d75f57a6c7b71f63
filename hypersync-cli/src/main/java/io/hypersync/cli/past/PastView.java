package io.hypersync.cli.past;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.daemons.Daemons;
import io.hypersync.cli.daemons.MountedWorkers;
import io.hypersync.cli.render.PrintableWriter;
import io.hypersync.runtime.admin.AdminClient;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.FileProblems;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A state of the past, mounted read-only in a temporary folder for commands that are run on it. It
 * is unmounted when it is closed, and when a signal ends this process: then the command that runs
 * is ended first.
 */
public final class PastView implements AutoCloseable {
  /** The leader may have to make the state again. */
  private static final Duration LIMIT = Duration.ofMinutes(31);

  private static final long END_SECONDS = 5;
  private static final int NOT_FOUND = 127;

  /** The index of the state, for commands that want to know it. */
  private static final String VARIABLE = "HYPERSYNC_AT";

  private final Daemons.Living worker;
  private final Path folder;
  private final Path mount;
  private final Thread onSignal = new Thread(this::end, "past-view-end");
  private long index;
  private volatile boolean isAsked;
  private volatile boolean isMounted;

  /** Guarded by this. */
  private @Nullable Process running;

  private PastView(Daemons.Living worker, Path folder) {
    this.worker = worker;
    this.folder = folder;
    this.mount = folder.resolve("at");
  }

  /**
   * Mounts a state. Blocks until it is there.
   *
   * @param worker whose workspace it is of
   * @param at a snapshot's name, an index, a time, how long ago, or head
   * @throws UserError if it cannot be mounted
   */
  public static PastView mount(Daemons.Living worker, String at) {
    Path folder;
    try {
      folder = Files.createTempDirectory("hypersync-at-");
    } catch (IOException e) {
      throw new UserError("cannot make a folder: " + FileProblems.describe(e), "Look at TMPDIR.");
    }
    PastView view = new PastView(worker, folder);
    Runtime.getRuntime().addShutdownHook(view.onSignal);
    boolean isDone = false;
    try {
      view.begin(at);
      isDone = true;
      return view;
    } finally {
      if (!isDone) {
        view.close();
      }
    }
  }

  private void begin(String at) {
    isAsked = true;
    JsonNode answer = ask(request("add").put("at", at));
    isMounted = true;
    index = answer.path("index").asLong();
  }

  private ObjectNode request(String what) {
    return JsonNodeFactory.instance.objectNode().put("do", what).put("path", mount.toString());
  }

  private JsonNode ask(ObjectNode request) {
    return new AdminClient(worker.socket(), LIMIT).call("mount", request);
  }

  /** The last entry of the state. */
  public long index() {
    return index;
  }

  /**
   * The folder of the state that has the place of a folder of the workspace; its root if it has
   * none, or for a folder elsewhere.
   *
   * @param here absolute
   */
  public Path like(Path here) {
    Path workspace = MountedWorkers.mount(worker);
    Path there = here.startsWith(workspace) ? mount.resolve(workspace.relativize(here)) : mount;
    return Files.isDirectory(there) ? there : mount;
  }

  /**
   * Runs a command to its end, with the standard streams of this process.
   *
   * @param folder where it runs
   * @param isQuiet whether its standard output goes to standard error
   * @param begun called when it runs
   * @return its exit code, as a shell reports it
   * @throws UserError if it cannot be run
   */
  public int run(List<String> command, Path folder, boolean isQuiet, Runnable begun)
      throws InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).inheritIO().directory(folder.toFile());
    if (isQuiet) {
      builder.redirectOutput(ProcessBuilder.Redirect.appendTo(new File("/dev/stderr")));
    }
    builder.environment().put(VARIABLE, Long.toString(index));
    builder.environment().put("PWD", folder.toString());
    Process process;
    try {
      synchronized (this) {
        process = builder.start();
        running = process;
      }
    } catch (IOException e) {
      throw new UserError(
          "cannot run " + command.getFirst() + ": " + FileProblems.describe(e),
          "The command comes after --, and is no shell's: for that, -- sh -c '...'",
          NOT_FOUND);
    }
    begun.run();
    return process.waitFor();
  }

  /** Unmounts it; ends the command if one runs. */
  @Override
  public void close() {
    end();
    try {
      var _ = Runtime.getRuntime().removeShutdownHook(onSignal);
    } catch (IllegalStateException e) {
      return; // the process ends, which calls the same
    }
  }

  /** May be called by two threads: the one that runs commands, and that of a signal. */
  private synchronized void end() {
    endCommand();
    try {
      if (isMounted) {
        isMounted = false;
        var _ = ask(request("remove"));
      } else if (isAsked) { // it has failed, or a signal came before the answer
        var _ = new AdminClient(worker.socket(), LIMIT).ask("mount", request("remove"));
      }
      isAsked = false;
      Files.deleteIfExists(mount);
      Files.deleteIfExists(folder);
    } catch (UserError e) {
      tell("hypersync: " + mount + " stays mounted: " + e.message());
    } catch (IOException e) {
      tell("hypersync: " + folder + " stays: " + FileProblems.describe(e));
    }
  }

  private void endCommand() {
    Process process = running;
    if (process == null || !process.isAlive()) {
      return;
    }
    process.destroy();
    try {
      if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        var _ = process.waitFor(END_SECONDS, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void tell(String line) {
    PrintableWriter.to(System.err).println(line);
  }
}
