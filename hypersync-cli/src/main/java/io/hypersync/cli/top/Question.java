package io.hypersync.cli.top;

/** What {@code top} asks a daemon. */
public enum Question {
  STATUS("status"),
  HAZARDS("hazards"),
  LOG("log"),
  LOCKS("locks"),
  STAGES("stages"),
  HOT("profile");

  private final String command;

  Question(String command) {
    this.command = command;
  }

  /** The admin command. */
  String command() {
    return command;
  }

  /**
   * Whether a daemon answers this.
   *
   * @param role of the daemon, by the name of its socket
   */
  boolean isFor(String role) {
    return switch (this) {
      case STATUS -> true;
      case HAZARDS -> !role.equals("standby");
      case LOG, LOCKS -> role.equals("leader");
      case STAGES, HOT -> role.equals("worker");
    };
  }
}
