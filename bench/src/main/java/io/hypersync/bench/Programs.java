package io.hypersync.bench;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Runs programs and pieces of work, one at a time; {@link #stop} from another thread ends them, so
 * that nothing uses a mount that is removed afterwards.
 */
final class Programs {
  private static final long END_LIMIT_S = 10;
  private static final String NO_FILE = "/dev/null";

  /** Held while a piece of work runs. */
  private final ReentrantLock work = new ReentrantLock();

  /** Makes starting a process and {@link #stop} mutually exclusive. */
  private final Object starting = new Object();

  private @Nullable Process running;
  private volatile boolean stopped;

  /** A piece of work that takes a while and calls {@link #requireGoingOn} now and then. */
  @FunctionalInterface
  interface Work {
    void run() throws IOException, InterruptedException;
  }

  /**
   * Runs a piece of work.
   *
   * @throws InterruptedException also if it was stopped
   */
  void run(Work piece) throws IOException, InterruptedException {
    work.lock();
    try {
      requireGoingOn();
      piece.run();
      requireGoingOn(); // a shell whose child was ended may itself end as if nothing had happened
    } catch (IOException failure) {
      requireGoingOn(); // if stopped, that is the reason for the failure
      throw failure;
    } finally {
      work.unlock();
    }
  }

  /**
   * Runs a program to its end.
   *
   * @throws IOException with its output, if it cannot be started or exits with another code than 0
   */
  void run(String... command) throws IOException, InterruptedException {
    run(0, command);
  }

  /**
   * Runs a program to its end.
   *
   * @param status the expected exit code
   */
  void run(int status, String... command) throws IOException, InterruptedException {
    run(
        () -> {
          var _ = Command.finish(start(command), status, command);
        });
  }

  /**
   * Fails if {@link #stop} was called.
   *
   * @throws InterruptedException in that case
   */
  void requireGoingOn() throws InterruptedException {
    if (stopped) {
      throw new InterruptedException("stopped");
    }
  }

  /** Ends the running work, waits for its end, and prevents any new one. */
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

  /** Starts a program; git reads no configuration but its command line. */
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
