package io.hypersync.worker.install;

/** Thrown when what the leader offers or sends is no snapshot that can be installed. */
public final class InstallException extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean lacksMemory;

  /** An exception with a reason for people. */
  public InstallException(String message) {
    this(message, false);
  }

  private InstallException(String message, boolean lacksMemory) {
    super(message);
    this.lacksMemory = lacksMemory;
  }

  /** The state does not fit into this worker's memory, and will not at the next attempt. */
  static InstallException lackOfMemory(String message) {
    return new InstallException(message, true);
  }

  /** Whether the state does not fit into this worker's memory. */
  public boolean lacksMemory() {
    return lacksMemory;
  }
}
