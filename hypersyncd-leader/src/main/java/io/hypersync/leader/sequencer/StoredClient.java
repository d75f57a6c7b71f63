package io.hypersync.leader.sequencer;

import io.hypersync.model.id.WorkerId;

/**
 * A client of stored intents.
 *
 * @param worker that it belongs to
 * @param highestSeqNo no stored intent of it has a higher one
 */
record StoredClient(WorkerId worker, long highestSeqNo) {
  /** Of both: what is known from two generations, or from a generation and a batch. */
  StoredClient and(StoredClient later) {
    return new StoredClient(worker, Math.max(highestSeqNo, later.highestSeqNo));
  }
}
