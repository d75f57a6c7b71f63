package io.hypersync.model.hazard;

import io.hypersync.model.log.LogEntry;
import java.nio.charset.StandardCharsets;

/**
 * An agent that holds a reservation, and what it holds (hypersync.md 10.3).
 *
 * @param agent its name, never empty
 * @param pattern which paths it has reserved, as it has written it; never empty
 * @param exclusive whether it wants to be the only one there
 */
public record Holder(String agent, String pattern, boolean exclusive) {
  /** The longest pattern, in bytes of UTF-8. */
  public static final int MAX_PATTERN_BYTES = 512;

  /**
   * Checks the lengths.
   *
   * @throws IllegalArgumentException if a text is empty or too long
   */
  public Holder {
    requireBetween(agent, LogEntry.MAX_AGENT_BYTES);
    requireBetween(pattern, MAX_PATTERN_BYTES);
  }

  /**
   * Whether an author of this name is the holder. Names of ASCII letters are the same in either
   * case, as Agent Mail compares them. Somebody unknown, whose name is empty, holds nothing.
   */
  public boolean is(String name) {
    return Author.isSameAgent(name, agent);
  }

  private static void requireBetween(String text, int most) {
    int bytes = text.getBytes(StandardCharsets.UTF_8).length;
    if (bytes == 0 || bytes > most) {
      throw new IllegalArgumentException("a text of " + bytes + " bytes");
    }
  }
}
