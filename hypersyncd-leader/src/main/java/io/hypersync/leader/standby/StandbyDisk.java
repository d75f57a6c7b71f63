package io.hypersync.leader.standby;

import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.oplog.OpLogCorruptException;
import io.hypersync.leader.oplog.OpLogListener;
import io.hypersync.leader.oplog.RecoveryListener;
import io.hypersync.model.hash.Hash;
import io.hypersync.wire.message.Revocation;
import java.io.IOException;
import java.util.List;

/**
 * What a {@link StandbyLog} keeps, and where. Everything is durable on return. Used as that is,
 * except where it says otherwise.
 */
public interface StandbyDisk {
  /**
   * Opens the log, or makes one that begins with entry 1.
   *
   * @throws OpLogCorruptException if what was durable is damaged
   */
  OpLog open(RecoveryListener kept, OpLogListener listener) throws IOException;

  /** Keeps the log, which is closed, beside; an earlier one that was kept so is removed. */
  void putAside() throws IOException;

  /**
   * Begins a log behind entries that it never had. What is there has no entries, and is removed.
   *
   * @param firstIndex the index that its first entry will have
   */
  void begin(long firstIndex) throws IOException;

  /** Whether a chunk is in the store. */
  boolean hasChunk(Hash chunk);

  /** Makes all chunks durable that are in the store. */
  void syncChunks() throws IOException;

  /** Up to this entry chunks may be missing that only older states have; any thread. */
  long collectedThrough();

  /** Raises that; one thread at a time. */
  void raiseCollected(long index) throws IOException;

  /**
   * Stores what makes it the state of a standby, and whose.
   *
   * @throws io.hypersync.runtime.admin.UserError if it cannot be written
   */
  void mark(StandbyFile mark);

  /**
   * Adds to the certificates that are revoked.
   *
   * @throws io.hypersync.runtime.admin.UserError if it cannot be written
   */
  void keepRevoked(List<Revocation> all);

  /** Waits a little for what is on its way to the disk; any thread. */
  void pause();

  /** How people call it. */
  String name();
}
