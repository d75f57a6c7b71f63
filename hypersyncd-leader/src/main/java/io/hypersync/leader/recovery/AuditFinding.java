package io.hypersync.leader.recovery;

import io.hypersync.model.hash.Hash;

/**
 * The result of a root audit: whether another replay of the log gives the logged root of an entry
 * (hypersync.md 8.1.1).
 */
public sealed interface AuditFinding {
  /** The index of the entry whose root was doubted. */
  long asked();

  /**
   * The log is right.
   *
   * @param root of the entry, in the log and by replay
   */
  record Right(long asked, Hash root) implements AuditFinding {}

  /**
   * The log is wrong: this leader has logged, and led from, a state that its entries do not
   * produce.
   *
   * @param index the first wrong entry, as far as is known
   * @param what is wrong with it, with both roots
   */
  record Wrong(long asked, long index, String what) implements AuditFinding {}

  /**
   * The audit could not decide.
   *
   * @param why as a phrase for a log line
   */
  record Unknown(long asked, String why) implements AuditFinding {}
}
