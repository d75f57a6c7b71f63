package io.hypersync.cli.stages;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One mutation's time between its sending and its entry's arrival, in nanoseconds by stage. */
final class LeaderTimes {
  /** In the order of the way. */
  static final List<Stage> STAGES =
      List.of(
          Stage.SEND,
          Stage.UPLOAD,
          Stage.QUEUE,
          Stage.SEQUENCE,
          Stage.SYNC,
          Stage.ACK,
          Stage.REPLICATE);

  private LeaderTimes() {}

  /**
   * Puts together what both know of it.
   *
   * @param sentNs by the worker
   * @param arrivedNs at the worker
   * @param leader received, complete, its turn, sequenced, synced, acknowledged: by the same clock,
   *     for both run on this machine
   * @return without {@code upload} if nothing had to be waited for; empty if the leader does not
   *     know it, or the clocks are not the same
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
