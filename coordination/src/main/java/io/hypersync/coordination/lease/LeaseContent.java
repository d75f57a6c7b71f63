package io.hypersync.coordination.lease;

/** What the record of a lease says. */
public sealed interface LeaseContent {
  /** Nobody holds it: there is no record, or its holder has released it. */
  record Free() implements LeaseContent {}

  /**
   * Somebody holds it, or has held it when it was written.
   *
   * @param holder the name of a process, for people
   * @param run tells apart two processes that were given one name, and two runs of one: random
   * @param acquiredAtMs since when, in ms since 1970 by its holder's clock; for people only
   */
  record Held(String holder, long run, long acquiredAtMs) implements LeaseContent {}

  /** Something else, so nobody knows who holds it. */
  record Malformed() implements LeaseContent {}
}
