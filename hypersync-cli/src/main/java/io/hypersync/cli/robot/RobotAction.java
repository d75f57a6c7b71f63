package io.hypersync.cli.robot;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** What a robot command can do: its options, and what it answers. */
public enum RobotAction {
  SNAPSHOT("the workspace, its workers, active hazards and reservations"),
  STATUS("the workspace in short: whether it can be written, how far it is"),
  WORKERS("the workers: health, lag, load, agents"),
  HAZARDS("where different agents have changed the same things, the newest first"),
  RESERVATIONS("which paths agents have reserved"),
  WHO("who has changed a path last"),
  PLACE("on which workers agents are to be started"),
  HEALTH("what is wrong, and what to do about it"),
  CAPABILITIES("what these commands can do; needs no daemon");

  /** Options without a value. */
  static final Set<String> FLAGS = Set.of("--explain", "--json");

  /** Options of all actions; {@code --json} is what they write anyway. */
  static final Set<String> OF_ALL = Set.of("--workspace", "--run-dir", "--json");

  private final String description;

  RobotAction(String description) {
    this.description = description;
  }

  /** As it is typed. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** What it answers, in half a sentence. */
  public String description() {
    return description;
  }

  /** Its own options. */
  List<String> options() {
    return switch (this) {
      case SNAPSHOT, STATUS, HEALTH, CAPABILITIES -> List.of();
      case WORKERS, RESERVATIONS -> List.of("--limit", "--offset");
      case HAZARDS -> List.of("--limit", "--offset", "--since");
      case WHO -> List.of("--limit");
      case PLACE -> List.of("--count", "--explain", "--session");
    };
  }

  boolean takes(String option) {
    return options().contains(option) || OF_ALL.contains(option);
  }

  static Optional<RobotAction> of(String word) {
    for (RobotAction each : values()) {
      if (each.word().equals(word)) {
        return Optional.of(each);
      }
    }
    return Optional.empty();
  }
}
