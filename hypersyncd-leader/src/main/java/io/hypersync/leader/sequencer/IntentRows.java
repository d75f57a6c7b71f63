package io.hypersync.leader.sequencer;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.OpId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.message.LeaderMessage.Committed;
import java.nio.ByteBuffer;

/**
 * Keys and values of stored intents. All integers are big-endian.
 *
 * <pre>
 * in the default family
 *   one byte 1              {@link IntentGenerations}
 *
 * in the family of a generation, "intents-" and its number
 *   key                     value
 *   client_id 16 B          highest seq_no u64 | name of the client's worker, ASCII
 *   client_id 16 B | seq_no u64
 *                           index u64 | committed i64 ns | op_id 16 B | root 32 B | offset i64
 * </pre>
 *
 * <p>The offset is that of an append, else -1. The highest seq_no is that of the client's intents
 * in this generation; it may be too high if the log was cut.
 */
final class IntentRows {
  static final byte[] GENERATIONS = {1};
  static final int CLIENT_KEY_BYTES = ClientId.BYTES;
  private static final int INTENT_KEY_BYTES = ClientId.BYTES + Long.BYTES;
  private static final int INTENT_BYTES =
      Long.BYTES + Long.BYTES + OpId.BYTES + Hash.BYTES + Long.BYTES;

  private IntentRows() {}

  static String family(long generation) {
    return "intents-" + generation;
  }

  static byte[] key(ClientId client) {
    return ByteBuffer.allocate(CLIENT_KEY_BYTES)
        .putLong(client.high())
        .putLong(client.low())
        .array();
  }

  static byte[] key(IntentId intent) {
    return ByteBuffer.allocate(INTENT_KEY_BYTES)
        .putLong(intent.client().high())
        .putLong(intent.client().low())
        .putLong(intent.seqNo())
        .array();
  }

  static byte[] value(StoredClient client) {
    byte[] name = client.worker().name().getBytes(US_ASCII);
    return ByteBuffer.allocate(Long.BYTES + name.length)
        .putLong(client.highestSeqNo())
        .put(name)
        .array();
  }

  static StoredClient client(byte[] value) {
    return new StoredClient(
        new WorkerId(new String(value, Long.BYTES, value.length - Long.BYTES, US_ASCII)),
        ByteBuffer.wrap(value).getLong());
  }

  static byte[] value(Committed place) {
    byte[] value = new byte[INTENT_BYTES];
    ByteBuffer out =
        ByteBuffer.wrap(value)
            .putLong(place.logIndex())
            .putLong(place.committedAtNs())
            .putLong(place.opId().high())
            .putLong(place.opId().low());
    place.root().write(value, out.position());
    var _ = out.position(out.position() + Hash.BYTES).putLong(place.appliedOffset());
    return value;
  }

  static Committed place(byte[] value) {
    ByteBuffer in = ByteBuffer.wrap(value);
    long index = in.getLong();
    long committedAtNs = in.getLong();
    OpId op = new OpId(in.getLong(), in.getLong());
    Hash root = Hash.read(value, in.position());
    return new Committed(index, op, committedAtNs, root, in.getLong(in.position() + Hash.BYTES));
  }

  /** The log index in the value of an intent's row. */
  static long index(byte[] value) {
    return ByteBuffer.wrap(value).getLong();
  }
}
