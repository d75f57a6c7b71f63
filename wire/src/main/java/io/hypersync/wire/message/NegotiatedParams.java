package io.hypersync.wire.message;

import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.ChunkRef;
import org.jspecify.annotations.Nullable;

/**
 * What a leader says in Welcome about how a worker is to send (hypersync.md 9.5). A worker takes
 * these values, within the bounds below, in place of any of its own.
 *
 * @param features what both sides can do
 * @param chunkMax writes are cut into chunks of so many bytes; the value of an extended attribute
 *     is one chunk in any case
 * @param inlineThreshold INLINE_THRESHOLD: payloads up to this many bytes travel inside the intent
 *     and the log entry (9.2), others do not
 * @param batchWindowMs how long an ack may be held back so that others share its sync (6.3.1)
 */
public record NegotiatedParams(
    Features features, int chunkMax, int inlineThreshold, int batchWindowMs) {
  /** The least that chunks may be cut to: a page. */
  public static final int MIN_CHUNK_MAX = 4 * 1024;

  /** The most: what a log entry may refer to as one chunk. */
  public static final int MAX_CHUNK_MAX = ChunkRef.MAX_LENGTH;

  /** The most that travels inside a log entry. */
  public static final int MAX_INLINE_THRESHOLD = LogEntry.MAX_INLINE_BYTES;

  /** The longest that acks may be held back. */
  public static final int MAX_BATCH_WINDOW_MS = 1_000;

  /** What hypersync.md 9.1 and 9.2 say; acks are not held back (decision 020). */
  public static final NegotiatedParams DEFAULT =
      new NegotiatedParams(Features.NONE, MAX_CHUNK_MAX, 8 * 1024, 0);

  /** The same for another set of features. */
  public NegotiatedParams with(Features both) {
    return new NegotiatedParams(both, chunkMax, inlineThreshold, batchWindowMs);
  }

  /**
   * Why these cannot be taken from a leader, in words, or null.
   *
   * @param offered what the worker has said that it can do
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
