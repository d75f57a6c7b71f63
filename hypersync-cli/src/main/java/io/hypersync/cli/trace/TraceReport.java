package io.hypersync.cli.trace;

import io.hypersync.model.hash.Hash;
import org.jspecify.annotations.Nullable;

/**
 * Result of a replay.
 *
 * @param version of the trace's format
 * @param begin the entry whose state the trace begins with; 0 for the empty filesystem
 * @param entries applied, behind that one
 * @param chunks and pages, read from records of their own; inline payloads do not count
 * @param checkpoints compared
 * @param root the Merkle root after the last applied entry
 * @param mismatch null if everything was as in the trace
 */
public record TraceReport(
    int version,
    long begin,
    long entries,
    long chunks,
    long checkpoints,
    Hash root,
    @Nullable Mismatch mismatch) {

  /**
   * Where replay and trace first differ.
   *
   * @param index the first entry that differs from the trace
   * @param message what is different
   */
  public record Mismatch(long index, String message) {}
}
