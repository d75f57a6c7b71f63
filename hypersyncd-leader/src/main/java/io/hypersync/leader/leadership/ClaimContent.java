package io.hypersync.leader.leadership;

/** What is in a claim file. */
public sealed interface ClaimContent {
  /** Nobody leads: the file is empty or not there. */
  record Free() implements ClaimContent {}

  /** A process has claimed the workspace. */
  record Held(Claim claim) implements ClaimContent {}

  /**
   * Something else, so nobody knows who leads.
   *
   * @param text its beginning; what it has to be compared with is what was seen before
   */
  record Malformed(String text) implements ClaimContent {}
}
