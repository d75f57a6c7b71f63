package io.hypersync.leader.sequencer;

import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.WorkerId;
import java.util.HashMap;
import java.util.Map;

/**
 * Which workers may still ask about intents that the {@link IntentIndex} has forgotten, so that
 * none of them is committed twice (hypersync.md 8.2).
 *
 * <p>A worker asks about an intent, or sends it again, only on a new connection and only while it
 * does not know what became of it. It knows that as soon as the entry is visible there, with or
 * without an ack. So a run of a worker that has reported an entry as visible never asks about
 * intents up to it, nor does one about those that were committed before it began. To everybody else
 * the leader says neither NOT_FOUND, which would have the intent come again as a new one, nor
 * anything else: the worker waits for the answer, applies entries meanwhile, and when it has
 * reported enough its connection is closed. On the next one it asks about what is left, and of that
 * nothing was forgotten.
 */
final class ForgottenIntents {
  /** By worker: as many as are enrolled. */
  private final Map<WorkerId, Run> runs = new HashMap<>();

  private static final class Run {
    private final ClientId id;

    /** It knows what became of its intents up to this entry. */
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
  void greeted(WorkerId worker, ClientId id, boolean isNew, long headIndex) {
    Run run = runs.get(worker);
    if (run == null || isNew || !run.id.equals(id)) {
      runs.put(worker, new Run(id, isNew ? headIndex : 0));
    } else {
      run.owedAnswers = false; // it asks anew
    }
  }

  /** Whether it may ask about an intent that became an entry up to this one. */
  boolean mayAsk(WorkerId worker, long forgottenThrough) {
    Run run = runs.get(worker);
    return (run == null ? 0 : run.knows) < forgottenThrough;
  }

  /** It has asked and got no answer. */
  void owesAnswer(WorkerId worker) {
    Run run = runs.get(worker);
    if (run != null) {
      run.owedAnswers = true;
    }
  }

  /**
   * An entry is visible on the worker.
   *
   * @return whether it is to connect anew, since it can be answered now
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
