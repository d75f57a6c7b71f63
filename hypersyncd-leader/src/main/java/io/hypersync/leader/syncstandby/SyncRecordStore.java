package io.hypersync.leader.syncstandby;

/** Keeps the {@link SyncRecord}. */
@FunctionalInterface
public interface SyncRecordStore {
  /**
   * Stores it. Waits for the disk, on the agent's thread: that is once for each standby that is
   * lost or has caught up, and before such a change nothing may be acknowledged that rests on it.
   *
   * @return whether it is durable; if not, the caller goes on as before, and tries again later
   */
  boolean store(SyncRecord record);
}
