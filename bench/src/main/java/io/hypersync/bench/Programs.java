package io.hypersync.bench;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Runs programs and pieces of work, one at a time, that can be stopped from another thread: what
 * comes after {@link #stop} finds nothing at work in a mount that it takes away.
 */
final class Programs {
  private static final long END_LIMIT_S = 10;
  private static final String NO_FILE = "/dev/null";

  /** Held while something is at work. */
  private final ReentrantLock work = new ReentrantLock();

  /** Guards the start of a process against a stop in between. */
  private final Object starting = new Object();

  private @Nullable Process running;
  private volatile boolean stopped;

  /** Something that takes a while, and asks {@link #requireGoingOn} now and then. */
  @FunctionalInterface
  interface Work {
    /** Does it. */
    void run() throws IOException, InterruptedException;
  }

  /** Does a piece of work. */
  void run(Work piece) throws IOException, InterruptedException {
    work.lock();
    try {
      requireGoingOn();
      piece.run();
    } catch (IOException failure) {
      requireGoingOn(); // it failed because it was stopped
      throw failure;
    } finally {
      work.unlock();
    }
  }

  /**
   * Runs a program to its end.
   *
   * @throws IOException with what it wrote, if it is not there or does not end with 0
   */
  void run(String... command) throws IOException, InterruptedException {
    run(0, command);
  }

  /**
   * Runs a program to its end.
   *
   * @param status what it is to end with
   */
  void run(int status, String... command) throws IOException, InterruptedException {
    run(
        () -> {
          var _ = Command.finish(start(command), status, command);
        });
  }

  /**
   * Fails if it was stopped.
   *
   * @throws InterruptedException then
   */
  void requireGoingOn() throws InterruptedException {
    if (stopped) {
      throw new InterruptedException("stopped");
    }
  }

  /** Ends what is at work, waits for that, and lets nothing begin any more. */
  void stop() throws InterruptedException {
    Process process;
    synchronized (starting) {
      stopped = true;
      process = running;
    }
    if (process != null) {
      List<ProcessHandle> below = process.descendants().toList();
      below.forEach(ProcessHandle::destroy);
      process.destroy();
      if (!process.waitFor(END_LIMIT_S, TimeUnit.SECONDS)) {
        below.forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
      }
    }
    if (!work.isHeldByCurrentThread() && work.tryLock(END_LIMIT_S, TimeUnit.SECONDS)) {
      work.unlock();
    }
  }

  /** With no configuration of git but the one on its command line. */
  private Process start(String... command) throws IOException, InterruptedException {
    ProcessBuilder builder = Command.prepare(command);
    builder.environment().put("GIT_CONFIG_GLOBAL", NO_FILE);
    builder.environment().put("GIT_CONFIG_NOSYSTEM", "1");
    synchronized (starting) {
      requireGoingOn();
      running = builder.start();
      return running;
    }
  }
}
