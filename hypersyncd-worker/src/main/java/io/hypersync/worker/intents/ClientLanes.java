package io.hypersync.worker.intents;

import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.wire.agent.Entropy;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A client_id for every caller, so that one caller's large upload holds up nobody else. A caller
 * that has not been heard of for long gets a new client_id when it comes back: sequence numbers are
 * never used twice within one (hypersync.md 2).
 */
final class ClientLanes {
  private static final int MAX_LANES = 4096;

  private final Entropy entropy;

  private final Map<Integer, Lane> lanes =
      new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Lane> eldest) {
          return size() > MAX_LANES;
        }
      };

  ClientLanes(Entropy entropy) {
    this.entropy = entropy;
  }

  /** An id for the next mutation of this caller. */
  IntentId next(int caller) {
    Lane lane =
        lanes.computeIfAbsent(
            caller, _ -> new Lane(new ClientId(entropy.nextLong(), entropy.nextLong())));
    lane.seqNo++;
    return new IntentId(lane.client, lane.seqNo);
  }

  /** Whether no later id was given to the caller. */
  boolean isNewest(int caller, IntentId id) {
    Lane lane = lanes.get(caller);
    return lane != null && lane.client.equals(id.client()) && lane.seqNo == id.seqNo();
  }

  /**
   * The caller has given up an intent whose fate is unknown: it goes on as another client, so that
   * what the leader may still hold of that intent is not in its way.
   */
  void retire(int caller) {
    lanes.remove(caller);
  }

  private static final class Lane {
    private final ClientId client;
    private long seqNo;

    Lane(ClientId client) {
      this.client = client;
    }
  }
}
