package io.hypersync.worker.install;

/** Thrown when what the leader offers or sends is no snapshot that can be installed. */
public final class InstallException extends Exception {
  private static final long serialVersionUID = 1L;

  private enum Lack {
    NOTHING,
    MEMORY,
    PAGE
  }

  private final Lack lack;

  /** An exception with a reason for people. */
  public InstallException(String message) {
    this(message, Lack.NOTHING);
  }

  private InstallException(String message, Lack lack) {
    super(message);
    this.lack = lack;
  }

  /** The state does not fit into this worker's memory, and will not at the next attempt. */
  static InstallException lackOfMemory(String message) {
    return new InstallException(message, Lack.MEMORY);
  }

  /** A page is gone: neither the leader nor another worker has it. */
  static InstallException lostPage(String message) {
    return new InstallException(message, Lack.PAGE);
  }

  /** Whether the state does not fit into this worker's memory. */
  public boolean lacksMemory() {
    return lack == Lack.MEMORY;
  }

  /** Whether a page of it is gone, so that the leader has to be looked at. */
  public boolean lacksPage() {
    return lack == Lack.PAGE;
  }
}
