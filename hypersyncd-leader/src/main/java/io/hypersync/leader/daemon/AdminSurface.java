package io.hypersync.leader.daemon;

import io.hypersync.leader.leadership.LeaderGate;
import io.hypersync.runtime.admin.AdminCommand;
import io.hypersync.runtime.admin.UserError;

/**
 * The commands that a leader answers on its admin socket, and which of them act as the leader:
 * those are refused unless this process leads. A command that is not here cannot be answered.
 */
public enum AdminSurface {
  LOG("log", false),
  WHO("who", false),
  HAZARDS("hazards", false),
  RESERVATIONS("reservations", false),
  PEERS("peers", false),
  EVENTS("events", false),
  CERTIFICATES("certs", true),
  LOCKS("locks", false),
  STAGES("stages", false),
  DIFF("diff", false),
  MESSAGE("message", true),
  PLACE("place", true),
  SNAPSHOT("snapshot", true),
  GC("gc", true),
  SCRUB("scrub", true),
  BACKUP("backup", true),
  RESTORE("restore", true),
  UNDO("undo", true),
  VISIBILITY("visibility", true);

  private final String command;
  private final boolean acts;

  AdminSurface(String command, boolean acts) {
    this.command = command;
    this.acts = acts;
  }

  /** The name of the command on the admin socket. */
  public String command() {
    return command;
  }

  /** Whether it changes something, or promises something. */
  public boolean acts() {
    return acts;
  }

  /** The command behind the gate, if it acts. */
  public AdminCommand behind(LeaderGate gate, AdminCommand answer) {
    return acts
        ? args -> {
          if (!gate.isLeader()) {
            throw new UserError(
                "this process does not lead the workspace any more",
                "See which one does: ./hypersync leadership");
          }
          return answer.run(args);
        }
        : answer;
  }
}
