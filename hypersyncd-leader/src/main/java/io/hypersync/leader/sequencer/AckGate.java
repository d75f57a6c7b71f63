package io.hypersync.leader.sequencer;

import io.hypersync.model.id.WorkerId;

/** What an answer that rests on durable entries still waits for. */
@FunctionalInterface
public interface AckGate {
  /** Answers wait for nothing else. */
  AckGate OPEN = (_, _) -> true;

  /**
   * Whether a worker may be told now of an intent of its own. What it may be told counts as told.
   *
   * @param worker whose intent it is
   * @param index the newest entry that the answer rests on; durable
   */
  boolean admits(WorkerId worker, long index);
}
