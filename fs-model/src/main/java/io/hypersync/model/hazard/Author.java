package io.hypersync.model.hazard;

import io.hypersync.model.id.WorkerId;

/**
 * Who made a call. Agents name themselves, so this is for reports and not for access.
 *
 * @param agent the name of the agent; empty if it is not known
 * @param worker on whose mount the call was made
 */
public record Author(String agent, WorkerId worker) {
  /**
   * Whether two calls may have been made by the same one: by an agent wherever it runs; and if the
   * agent of one of them is not known, by programs of one worker. A name that is found too late, on
   * a busy machine, must not make an agent its own opponent.
   */
  public boolean isSame(Author other) {
    boolean isKnown = !agent.isEmpty() && !other.agent.isEmpty();
    return isKnown ? isSameAgent(agent, other.agent) : worker.equals(other.worker);
  }

  /** Whether two names are of one agent. ASCII letters are the same in either case. */
  public static boolean isSameAgent(String one, String other) {
    if (one.length() != other.length()) {
      return false;
    }
    for (int i = 0; i < one.length(); i++) {
      if (lower(one.charAt(i)) != lower(other.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  private static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char) (c - 'A' + 'a') : c;
  }
}
