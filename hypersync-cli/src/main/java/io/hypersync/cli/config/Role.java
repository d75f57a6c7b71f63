package io.hypersync.cli.config;

import java.util.Arrays;
import java.util.Locale;

/** What a machine is (hypersync.md 16.1). */
public enum Role {
  /** Runs the leader, and a worker beside it (hypersync.md 4.2). */
  LEADER,
  /** Runs a worker. */
  WORKER;

  /**
   * Reads the text form.
   *
   * @throws IllegalArgumentException if it is none
   */
  static Role parse(String text) {
    return Arrays.stream(values())
        .filter(role -> role.text().equals(text))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException(text));
  }

  /** The text form. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
