package io.hypersync.coordination.cas;

import java.util.Optional;

/**
 * Small records under keys, each with a revision that grows with every write. A write names what
 * must be there, so of several writers that have read the same record one succeeds.
 *
 * <p>A call that fails with a {@link CasException} may have written, or may write later: only a
 * later read tells. Any thread; each call blocks for a bounded time. A write that was acknowledged
 * survives a crash of the store.
 */
public interface CasStore {
  /** How many bytes a value may have. */
  int MAX_VALUE_BYTES = 4_096;

  /**
   * The record under a key, never older than a write that has returned before this call; empty if
   * there is none.
   *
   * @throws CasException if the store does not say
   */
  Optional<CasRecord> read(String key) throws CasException;

  /**
   * Writes a record that must not exist yet.
   *
   * @return its revision; empty if there is one already, and nothing is written
   * @throws CasException if it is not known whether it is written
   */
  Optional<Long> create(String key, byte[] value) throws CasException;

  /**
   * Writes a record whose revision must still be this one.
   *
   * @return its new revision, which is larger; empty if it has another one or is gone, and nothing
   *     is written
   * @throws CasException if it is not known whether it is written
   */
  Optional<Long> update(String key, byte[] value, long revision) throws CasException;
}
