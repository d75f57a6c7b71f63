package io.hypersync.leader.sequencer;

import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.WorkerId;
import java.util.HashMap;
import java.util.Map;

/**
 * Tracks which workers may still ask about intents that the {@link IntentIndex} has forgotten, so
 * that no intent is committed twice (hypersync.md 8.2).
 *
 * <p>A worker asks about an intent, or sends it again, only on a new connection and only while it
 * does not know the outcome. (An intent refused for now is sent again at any time: it is not in the
 * log.) It knows the outcome once the entry is visible on its mount, with or without an ack. So a
 * run of a worker that has reported an entry as visible never asks about intents committed up to
 * that entry, and no run asks about intents committed before it began. Any other worker gets
 * neither NOT_FOUND, which would make it send the intent again as a new one, nor any other answer.
 * It waits for the answer and applies entries meanwhile; once it has reported enough of them, its
 * connection is closed. On the next connection it asks about the intents that are still open, none
 * of which was forgotten.
 *
 * <p>Used on the agent's thread only.
 */
final class ForgottenIntents {
  /** By worker; bounded by the number of enrolled workers. */
  private final Map<WorkerId, Run> runs = new HashMap<>();

  private static final class Run {
    private final ClientId id;

    /** The run knows the outcome of all its intents that became entries up to this index. */
    private long knows;

    private boolean owedAnswers;

    Run(ClientId id, long knows) {
      this.id = id;
      this.knows = knows;
    }
  }

  /**
   * A Hello was accepted.
   *
   * @param isNew the run has never been welcomed by any leader, so it has never sent an intent
   * @param headIndex the newest entry
   */
  void established(WorkerId worker, ClientId id, boolean isNew, long headIndex) {
    Run run = runs.get(worker);
    if (run == null || isNew || !run.id.equals(id)) {
      runs.put(worker, new Run(id, isNew ? headIndex : 0));
    } else {
      run.owedAnswers = false; // it asks again on the new connection
    }
  }

  /**
   * Whether the worker may ask about an intent that became an entry up to {@code forgottenThrough}.
   */
  boolean mayAsk(WorkerId worker, long forgottenThrough) {
    Run run = runs.get(worker);
    return (run == null ? 0 : run.knows) < forgottenThrough;
  }

  /** The worker has asked about an intent and got no answer. */
  void owesAnswer(WorkerId worker) {
    Run run = runs.get(worker);
    if (run != null) {
      run.owedAnswers = true;
    }
  }

  /**
   * The worker has reported its visible index.
   *
   * @return whether to close its connection, because its open question can be answered on the next
   *     one
   */
  boolean reported(WorkerId worker, long visibleIndex, long forgottenThrough) {
    Run run = runs.get(worker);
    if (run == null) {
      return false;
    }
    run.knows = Math.max(run.knows, visibleIndex);
    return run.owedAnswers && run.knows >= forgottenThrough;
  }
}
