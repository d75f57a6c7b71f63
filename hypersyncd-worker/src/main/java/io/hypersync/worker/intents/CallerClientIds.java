package io.hypersync.worker.intents;

import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.runtime.agent.Entropy;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Gives every caller a client_id of its own, so that one caller's large upload does not delay the
 * intents of others. Beyond {@link #MAX_CALLERS} the least recently active caller loses its
 * client_id and gets a new one when it returns: sequence numbers are never used twice within one
 * (hypersync.md 2).
 */
final class CallerClientIds {
  private static final int MAX_CALLERS = 4096;

  private final Entropy entropy;

  private final Map<Integer, CallerState> callers =
      new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, CallerState> eldest) {
          return size() > MAX_CALLERS;
        }
      };

  CallerClientIds(Entropy entropy) {
    this.entropy = entropy;
  }

  /** The intent id for the next mutation of this caller. */
  IntentId next(int caller) {
    CallerState state =
        callers.computeIfAbsent(
            caller, _ -> new CallerState(new ClientId(entropy.nextLong(), entropy.nextLong())));
    state.seqNo++;
    return new IntentId(state.client, state.seqNo);
  }

  /** Whether this is the newest id given to the caller. */
  boolean isNewest(int caller, IntentId id) {
    CallerState state = callers.get(caller);
    return state != null && state.client.equals(id.client()) && state.seqNo == id.seqNo();
  }

  /**
   * Makes the caller continue under a new client_id, after it has given up an intent whose outcome
   * is unknown: what the leader may still hold of that intent cannot delay later ones.
   */
  void retire(int caller) {
    callers.remove(caller);
  }

  private static final class CallerState {
    private final ClientId client;
    private long seqNo;

    CallerState(ClientId client) {
      this.client = client;
    }
  }
}
