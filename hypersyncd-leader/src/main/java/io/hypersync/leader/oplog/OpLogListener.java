package io.hypersync.leader.oplog;

/**
 * Receives the events of a log. Durability events come from the thread that writes, which is the
 * log's own one or, after {@link OpLog#tryLoneCommit}, the one that appends; must return quickly
 * and must not throw.
 */
public interface OpLogListener {
  /** A batch became durable; {@link OpLog#durableIndex()} covers it already. */
  void onDurable(CommittedBatch batch);

  /**
   * A write or a sync failed. Nothing after {@link OpLog#durableIndex()} may be acknowledged, and
   * the process must exit and recover from the log: after a failed sync the kernel may have dropped
   * the dirty pages, so that a second sync would succeed without having written them. Called once.
   */
  void onFailure(OpLogFailedException failure);

  /**
   * A trim has taken a segment out of the log, durably; its files are deleted once this returns.
   * Called on the thread that trims.
   */
  default void onWithdrawn() {}
}
