package io.hypersync.coordination.putex;

/** What has become of a {@link Step}. */
public sealed interface Outcome {
  /**
   * A record is there.
   *
   * @param token whose it is; empty if it is free
   * @param revision of it
   */
  record Found(String token, long revision) implements Outcome {}

  /** There is no record. */
  record Absent() implements Outcome {}

  /**
   * A write was done.
   *
   * @param revision of the record now
   */
  record Written(long revision) implements Outcome {}

  /** A write was not done, and will not be: another record is there. */
  record Refused() implements Outcome {}

  /**
   * The store has not answered in time: a write may have been done, or will be.
   *
   * @param why for a person
   */
  record Unknown(String why) implements Outcome {}

  /** A script has succeeded, a wait is over. */
  record Passed() implements Outcome {}

  /**
   * A script has failed, or took too long.
   *
   * @param why for a person
   */
  record Failed(String why) implements Outcome {}
}
