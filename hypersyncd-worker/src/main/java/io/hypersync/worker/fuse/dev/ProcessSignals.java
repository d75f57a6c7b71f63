package io.hypersync.worker.fuse.dev;

/** What this process does with signals of its terminal. */
public final class ProcessSignals {
  private static final int SIGINT = 2;
  private static final int SIGQUIT = 3;

  private ProcessSignals() {}

  /**
   * Leaves Ctrl-C and Ctrl-\ to the children from now on, as a shell does that waits for a program.
   * Children that are started later ignore them, too.
   */
  public static void leaveInterruptsToChildren() {
    Syscalls.ignore(SIGINT);
    Syscalls.ignore(SIGQUIT);
  }
}
