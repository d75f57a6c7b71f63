package io.hypersync.leader.sequencer;

import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.WriteMode;
import io.hypersync.wire.message.LeaderMessage.Committed;

/**
 * An intent that has become an entry, with all that its ack says (hypersync.md 8.2).
 *
 * @param origin the worker that it came from
 * @param place the entry
 */
record CommittedIntent(IntentId intent, WorkerId origin, Committed place) {
  static CommittedIntent of(LogEntry entry) {
    return new CommittedIntent(entry.intent(), entry.origin(), place(entry));
  }

  static Committed place(LogEntry entry) {
    long appendedAt =
        entry.op() instanceof FsOp.Write write && write.mode() == WriteMode.APPEND
            ? write.offset()
            : -1;
    return new Committed(
        entry.index(), entry.opId(), entry.committedAtNs(), entry.root(), appendedAt);
  }
}
