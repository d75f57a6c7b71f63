package io.hypersync.leader.recovery;

import io.hypersync.model.hash.Hash;

/** What another replay of the log has found about the root of an entry (hypersync.md 8.1.1). */
public sealed interface AuditFinding {
  /** The entry that was asked about. */
  long asked();

  /**
   * The log is right.
   *
   * @param root of the entry
   */
  record Right(long asked, Hash root) implements AuditFinding {}

  /**
   * The log is wrong: this leader has logged, and led, a state that does not come of its entries.
   *
   * @param index the first entry that is wrong, or the first of which it is known
   * @param what is wrong with it, with both roots
   */
  record Wrong(long asked, long index, String what) implements AuditFinding {}

  /**
   * It could not be found out.
   *
   * @param why in the words of a log line
   */
  record Unknown(long asked, String why) implements AuditFinding {}
}
