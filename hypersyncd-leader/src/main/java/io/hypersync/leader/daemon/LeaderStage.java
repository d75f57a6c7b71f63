package io.hypersync.leader.daemon;

import io.hypersync.leader.sequencer.IntentTimestamps;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * The stages of an intent in the leader (docs/ARCHITECTURE.md): each begins where the one before it
 * ends.
 */
enum LeaderStage {
  /**
   * From the intent's arrival until its last chunk has arrived; only for intents that waited for
   * chunks.
   */
  UPLOAD,
  /** Until its turn: it waits behind other intents, or for room in the log. */
  QUEUE,
  /** Until it is sequenced: applied to S_head, Merkle root computed, accepted by the log. */
  SEQUENCE,
  /** Until its entry is durable: written and synced, after the batch before it. */
  SYNC,
  /** Until its ack is handed to the transport. */
  ACK,
  /** The sum of all stages. */
  TOTAL;

  private static final Set<LeaderStage> ALL =
      Collections.unmodifiableSet(EnumSet.allOf(LeaderStage.class));

  /** All stages, in order. */
  static Set<LeaderStage> all() {
    return ALL;
  }

  /**
   * Duration of this stage in nanoseconds, for an intent whose entry was synced and whose ack was
   * sent at these times.
   */
  long nanos(IntentTimestamps times, long syncedNs, long ackedNs) {
    return switch (this) {
      case UPLOAD -> times.completeNs() - times.receivedNs();
      case QUEUE -> times.takenNs() - times.completeNs();
      case SEQUENCE -> times.sequencedNs() - times.takenNs();
      case SYNC -> syncedNs - times.sequencedNs();
      case ACK -> ackedNs - syncedNs;
      case TOTAL -> ackedNs - times.receivedNs();
    };
  }
}
