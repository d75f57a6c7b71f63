package io.hypersync.worker.port;

import io.hypersync.model.log.LogEntry;
import io.hypersync.wire.message.Revocation;
import io.hypersync.wire.message.StandbyStanding;
import io.hypersync.wire.message.WorkerMessage.WorkerApplied;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps all that becomes visible here, on this disk: what makes a worker a standby. An entry is
 * visible only when it is durable at the leader. On the agent's thread unless stated otherwise.
 */
public interface EntryMirror extends AutoCloseable {
  /** That of a worker which is no standby. */
  EntryMirror NONE =
      new EntryMirror() {
        @Override
        public void begins(long index) {}

        @Override
        public void welcomed(long lineage, long term, long commitIndex) {}

        @Override
        public long knownTerm(long lineage) {
          return 0;
        }

        @Override
        public void standing(@Nullable StandbyStanding standing) {}

        @Override
        public boolean revoked(List<Revocation> all) {
          return false;
        }

        @Override
        public void withoutChunksThrough(long index) {}

        @Override
        public void applied(LogEntry entry) {}

        @Override
        public void replaced(long index) {}

        @Override
        public void collecting(long index) {}

        @Override
        public void complete() {}

        @Override
        public void whenSynced(Runnable synced) {}

        @Override
        public long syncedIndex() {
          return WorkerApplied.NO_STANDBY;
        }

        @Override
        public void close() {}
      };

  /**
   * The worker begins with the state after an entry; {@link #applied} follows with the next one.
   * Before the agent's thread runs.
   *
   * @param index 0 for the empty filesystem
   */
  void begins(long index);

  /**
   * A leader of this lineage and term has accepted this worker; durable on return.
   *
   * @param commitIndex the last entry that is durable at that leader
   */
  void welcomed(long lineage, long term, long commitIndex);

  /**
   * The highest term of a lineage that this mirror knows, over all its starts: no leader of a lower
   * one is followed. 0 if it knows none.
   */
  long knownTerm(long lineage);

  /**
   * The leader says how this standby stands; durable on return if that is news.
   *
   * @param standing null if the leader does not wait for it
   */
  void standing(@Nullable StandbyStanding standing);

  /**
   * The leader says which certificates are revoked: whoever is promoted must know.
   *
   * @return whether it keeps that, durably on return
   * @throws io.hypersync.runtime.admin.UserError if it cannot
   */
  boolean revoked(List<Revocation> all);

  /**
   * Entries up to this one may be applied without their chunks from now on, since the leader may
   * have collected them. Durable on return.
   */
  void withoutChunksThrough(long index);

  /** The next entry has become visible. Its chunks are in the chunk store. */
  void applied(LogEntry entry);

  /** The state of a snapshot that is in the catalog has become visible in place of an older one. */
  void replaced(long index);

  /**
   * Chunks that only entries up to this one mention are about to be removed. On the thread that
   * removes them.
   *
   * @throws io.hypersync.chunkstore.ChunkStoreException if they must not be removed now
   */
  void collecting(long index);

  /**
   * All chunks of the state are in the store. Makes those durable that no entry has brought;
   * durable on return.
   */
  void complete();

  /**
   * Has this run each time that {@link #syncedIndex} has grown, in place of what was set before.
   *
   * @param synced on any thread; must not block
   */
  void whenSynced(Runnable synced);

  /** All entries up to this one are on the disk, with their chunks. Any thread. */
  long syncedIndex();

  /** Makes what was applied durable. After the agent's thread has ended, before the chunk store. */
  @Override
  void close();
}
