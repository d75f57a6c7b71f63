package io.hypersync.bench;

import io.hypersync.cli.demo.ChildDaemon;
import io.hypersync.runtime.admin.UserError;
import java.io.IOException;
import java.time.Duration;

/**
 * What a restart of a daemon has taken.
 *
 * @param wallNs from its start until it answered, and a worker had mounted
 * @param cpuNs processor time of its process until then, all threads together
 * @param memory its resident memory then
 */
record Restart(long wallNs, long cpuNs, ResidentMemory memory) {
  private static final Duration LIMIT = Duration.ofMinutes(10);

  /** How the old process ends. */
  enum How {
    /** SIGTERM: it takes a last snapshot. */
    STOPPED,
    /** SIGKILL: it writes nothing more. */
    KILLED
  }

  /**
   * Ends a daemon and starts it again.
   *
   * @throws UserError if it does not answer within ten minutes
   */
  static Restart of(ChildDaemon daemon, How how) throws IOException, InterruptedException {
    return of(daemon, how, () -> {});
  }

  /** The same, with an action while there is no process. */
  static Restart of(ChildDaemon daemon, How how, ChildDaemon.Between between)
      throws IOException, InterruptedException {
    long wallNs =
        switch (how) {
          case STOPPED -> daemon.stopAndRestart(LIMIT, between);
          case KILLED -> daemon.killAndRestart(LIMIT, between);
        };
    return new Restart(wallNs, cpuNs(daemon.pid()), ResidentMemory.of(daemon.pid()));
  }

  /**
   * Returns the processor time of a process since its start.
   *
   * @throws UserError if there is no such process
   */
  static long cpuNs(long pid) {
    return ProcessHandle.of(pid)
        .flatMap(process -> process.info().totalCpuDuration())
        .orElseThrow(() -> new UserError("process " + pid + " has ended", "Its log says why."))
        .toNanos();
  }
}
