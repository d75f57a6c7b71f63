package io.hypersync.leader.sequencer;

import io.hypersync.model.id.OpId;
import java.util.List;

/**
 * The intents of a run of durable entries, for {@link IntentStore#write}. Immutable; made by {@link
 * IntentIndex#take}.
 */
public final class IntentBatch {
  private final List<CommittedIntent> intents;

  /**
   * Makes a batch.
   *
   * @param intents of consecutive entries, at least one; the list does not change any more
   */
  IntentBatch(List<CommittedIntent> intents) {
    this.intents = intents;
  }

  List<CommittedIntent> intents() {
    return intents;
  }

  /** How many intents it has. */
  public int size() {
    return intents.size();
  }

  /** The first entry. */
  long first() {
    return intents.getFirst().place().logIndex();
  }

  /** The last entry. */
  public long through() {
    return intents.getLast().place().logIndex();
  }

  /** The op_id of the last entry. */
  OpId last() {
    return intents.getLast().place().opId();
  }

  /** The time of the first entry. */
  long firstNs() {
    return intents.getFirst().place().committedAtNs();
  }
}
