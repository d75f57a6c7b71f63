package io.hypersync.leader.daemon;

import io.hypersync.leader.sequencer.IntentTimes;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * The parts of an intent's way through the leader (docs/ARCHITECTURE.md): each begins where the one
 * before it ends.
 */
enum LeaderStage {
  /** From the intent's arrival until the last of its chunks is here; only where some were not. */
  UPLOAD,
  /** Until its turn: behind others, or because the log has no room ready. */
  QUEUE,
  /** Until it has its place: applied to S_head, its Merkle root computed, with the log. */
  SEQUENCE,
  /** Until it is durable: written and synced, after the batch before it. */
  SYNC,
  /** Until its ack is with the transport. */
  ACK,
  /** All of these. */
  TOTAL;

  private static final Set<LeaderStage> ALL =
      Collections.unmodifiableSet(EnumSet.allOf(LeaderStage.class));

  /** All, in the order of the way. */
  static Set<LeaderStage> all() {
    return ALL;
  }

  /** How long an intent whose entry was synced and whose ack left then was here, in nanoseconds. */
  long nanos(IntentTimes times, long syncedNs, long ackedNs) {
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
