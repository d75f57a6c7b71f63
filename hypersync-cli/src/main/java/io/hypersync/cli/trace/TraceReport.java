package io.hypersync.cli.trace;

import io.hypersync.model.hash.Hash;
import org.jspecify.annotations.Nullable;

/**
 * What a replay came to.
 *
 * @param version of the trace's format
 * @param entries applied
 * @param chunks read, without those that travel in their entry
 * @param checkpoints met
 * @param root the Merkle root after the last applied entry
 * @param mismatch null if everything was as the trace says
 */
public record TraceReport(
    int version,
    long entries,
    long chunks,
    long checkpoints,
    Hash root,
    @Nullable Mismatch mismatch) {

  /**
   * Where replay and trace part.
   *
   * @param index the first entry that is not as the trace says
   * @param message what is different
   */
  public record Mismatch(long index, String message) {}
}
