package io.hypersync.cli.stages;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Times of one mutation between its sending and its entry's arrival, in nanoseconds by stage. */
final class LeaderStageDurations {
  /** In the order in which a mutation passes them. */
  static final List<Stage> STAGES =
      List.of(
          Stage.SEND,
          Stage.UPLOAD,
          Stage.QUEUE,
          Stage.SEQUENCE,
          Stage.SYNC,
          Stage.ACK,
          Stage.REPLICATE);

  private LeaderStageDurations() {}

  /**
   * Joins the timestamps of worker and leader for one mutation.
   *
   * @param sentNs when the worker sent the intent
   * @param arrivedNs when the entry arrived at the worker
   * @param leader six timestamps: received, chunks complete, its turn in the queue, sequenced,
   *     synced, acknowledged; of the same monotonic clock, because both run on this machine
   * @return nanoseconds by stage, without {@code upload} if no chunks had to be waited for; empty
   *     if the leader has no timestamps of the mutation, or the clocks differ
   */
  static Optional<Map<Stage, Long>> of(long sentNs, long arrivedNs, JsonNode leader) {
    if (leader.size() != 6) {
      return Optional.empty();
    }
    long[] at = new long[8];
    at[0] = sentNs;
    for (int i = 0; i < leader.size(); i++) {
      at[i + 1] = leader.path(i).asLong();
    }
    at[7] = arrivedNs;
    Map<Stage, Long> nanos = new EnumMap<>(Stage.class);
    for (int i = 0; i < STAGES.size(); i++) {
      long took = at[i + 1] - at[i];
      if (took < 0) {
        return Optional.empty();
      }
      if (STAGES.get(i) != Stage.UPLOAD || took > 0) {
        nanos.put(STAGES.get(i), took);
      }
    }
    return Optional.of(nanos);
  }
}
