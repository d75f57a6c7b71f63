package io.hypersync.wire.message;

import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.ChunkRef;
import org.jspecify.annotations.Nullable;

/**
 * The parameters in Welcome that tell a worker how to send (hypersync.md 9.5). A worker that
 * accepts them, within the bounds below, uses them in place of its own.
 *
 * @param features the features that both sides support
 * @param chunkMax the size, in bytes, of the chunks that writes are split into; the value of an
 *     extended attribute is always one chunk
 * @param inlineThreshold INLINE_THRESHOLD: payloads of up to this many bytes, and no others, are
 *     carried inside the intent and the log entry (9.2)
 * @param batchWindowMs how long an ack may be delayed so that several entries share a sync (6.3.1)
 */
public record NegotiatedParams(
    Features features, int chunkMax, int inlineThreshold, int batchWindowMs) {
  /** The smallest {@link #chunkMax}, in bytes: one page. */
  public static final int MIN_CHUNK_MAX = 4 * 1024;

  /** The largest {@link #chunkMax}, in bytes: what a log entry can reference as one chunk. */
  public static final int MAX_CHUNK_MAX = ChunkRef.MAX_LENGTH;

  /** The largest {@link #inlineThreshold}, in bytes. */
  public static final int MAX_INLINE_THRESHOLD = LogEntry.MAX_INLINE_BYTES;

  /** The largest {@link #batchWindowMs}. */
  public static final int MAX_BATCH_WINDOW_MS = 1_000;

  /** The values of hypersync.md 9.1 and 9.2; acks are not delayed (decision 020). */
  public static final NegotiatedParams DEFAULT =
      new NegotiatedParams(Features.NONE, MAX_CHUNK_MAX, 8 * 1024, 0);

  /** The same parameters with another set of features. */
  public NegotiatedParams with(Features both) {
    return new NegotiatedParams(both, chunkMax, inlineThreshold, batchWindowMs);
  }

  /**
   * Why a worker cannot accept these parameters, as a message, or null if it can.
   *
   * @param offered the features in the worker's Hello
   */
  public @Nullable String problem(Features offered) {
    if (!features.isWithin(offered)) {
      return "features "
          + Long.toHexString(features.bits())
          + " are not among those it was offered";
    }
    if (chunkMax < MIN_CHUNK_MAX || chunkMax > MAX_CHUNK_MAX) {
      return outOfBounds("chunk_max", chunkMax, MIN_CHUNK_MAX, MAX_CHUNK_MAX);
    }
    if (inlineThreshold < 0 || inlineThreshold > MAX_INLINE_THRESHOLD) {
      return outOfBounds("inline_threshold", inlineThreshold, 0, MAX_INLINE_THRESHOLD);
    }
    if (batchWindowMs < 0 || batchWindowMs > MAX_BATCH_WINDOW_MS) {
      return outOfBounds("batch_window_ms", batchWindowMs, 0, MAX_BATCH_WINDOW_MS);
    }
    return null;
  }

  private static String outOfBounds(String name, int value, int min, int max) {
    return name + " is " + value + ", " + min + " to " + max + " allowed";
  }
}
