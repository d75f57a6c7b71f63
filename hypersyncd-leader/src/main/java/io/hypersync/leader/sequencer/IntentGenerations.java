package io.hypersync.leader.sequencer;

import io.hypersync.model.id.OpId;
import java.nio.ByteBuffer;

/**
 * What the stored intents cover, and how they are divided into generations. The newest generation
 * takes intents until it has {@code entries} of them and is {@code ttlNs} old; then another one is
 * begun, and the one before the last is forgotten. So at least the intents stay that 8.2 demands.
 *
 * <p>As it is stored:
 *
 * <pre>
 *  0        1             9               17           25         33                 41
 *  +--------+-------------+---------------+------------+----------+------------------+
 *  | ver u8 | through u64 | forgotten     | newest u64 | since i64| previous         |
 *  |   = 1  |             | through u64   |            | ns       | through u64      |
 *  +--------+-------------+---------------+------------+----------+------------------+
 *  41
 *  +-----------+
 *  | last 16 B |
 *  +-----------+
 * </pre>
 *
 * @param through the intents of all entries up to this one are stored, or were forgotten
 * @param forgottenThrough intents of entries up to this one were forgotten; 0 if none were
 * @param newest number of the newest generation, from 1; the one before it is remembered as well
 * @param sinceNs the time of the first entry of the newest generation
 * @param previousThrough the last entry of the generation before; 0 if there is none
 * @param last the op_id of the entry {@code through}, by which the log is recognized; {@link
 *     #UNKNOWN} if there is none, or the log was cut
 */
record IntentGenerations(
    long through,
    long forgottenThrough,
    long newest,
    long sinceNs,
    long previousThrough,
    OpId last) {
  static final OpId UNKNOWN = new OpId(0, 0);
  static final IntentGenerations NONE = new IntentGenerations(0, 0, 1, 0, 0, UNKNOWN);
  private static final byte VERSION = 1;
  private static final int BYTES = 1 + 5 * Long.BYTES + OpId.BYTES;

  /** Nothing is stored, and the first entry is the one behind this one. */
  static IntentGenerations behind(long index) {
    return new IntentGenerations(index, 0, 1, 0, index, UNKNOWN);
  }

  /** The same; there were intents of the entries up to this one, and they are not known here. */
  static IntentGenerations forgotten(long index) {
    return new IntentGenerations(index, index, 1, 0, index, UNKNOWN);
  }

  /** After a batch was added, as a whole: to the newest generation, or as the first of another. */
  IntentGenerations with(IntentBatch batch, IntentRetention retention) {
    long entries = through - previousThrough;
    boolean isFull =
        entries > 0
            && entries >= retention.entries()
            && batch.firstNs() - sinceNs >= retention.ttlNs();
    return isFull
        ? new IntentGenerations(
            batch.through(),
            Math.max(forgottenThrough, previousThrough),
            newest + 1,
            batch.firstNs(),
            through,
            batch.last())
        : new IntentGenerations(
            batch.through(),
            forgottenThrough,
            newest,
            entries == 0 ? batch.firstNs() : sinceNs,
            previousThrough,
            batch.last());
  }

  /** After the log was cut; {@code end} is its last entry. */
  IntentGenerations endingAt(long end) {
    return new IntentGenerations(
        Math.min(through, end),
        Math.min(forgottenThrough, end),
        newest,
        sinceNs,
        Math.min(previousThrough, end),
        end < through ? UNKNOWN : last);
  }

  byte[] encoded() {
    return ByteBuffer.allocate(BYTES)
        .put(VERSION)
        .putLong(through)
        .putLong(forgottenThrough)
        .putLong(newest)
        .putLong(sinceNs)
        .putLong(previousThrough)
        .putLong(last.high())
        .putLong(last.low())
        .array();
  }

  /**
   * Reads what {@link #encoded} has written.
   *
   * @throws IntentStoreException if it has another version
   */
  static IntentGenerations decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    if (bytes.length != BYTES || in.get() != VERSION) {
      throw new IntentStoreException(
          "the stored intents have a format that this version does not know");
    }
    return new IntentGenerations(
        in.getLong(),
        in.getLong(),
        in.getLong(),
        in.getLong(),
        in.getLong(),
        new OpId(in.getLong(), in.getLong()));
  }
}
