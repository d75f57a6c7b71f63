package io.hypersync.cli.config;

import java.util.Arrays;
import java.util.Locale;

/** What runs on a machine (hypersync.md 16.1). */
public enum Role {
  /** Runs the leader, and a worker beside it (hypersync.md 4.2). */
  LEADER,
  WORKER;

  /**
   * Parses the lower-case text form.
   *
   * @throws IllegalArgumentException if it is neither role
   */
  static Role parse(String text) {
    return Arrays.stream(values())
        .filter(role -> role.text().equals(text))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException(text));
  }

  /** Returns the lower-case form that {@link #parse} reads. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
