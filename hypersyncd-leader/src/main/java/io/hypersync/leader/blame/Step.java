package io.hypersync.leader.blame;

import io.hypersync.model.hazard.Author;
import io.hypersync.model.history.NameChange;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.FsOp;
import org.jspecify.annotations.Nullable;

/**
 * What an entry did, as far as it matters here: without bytes, so that many of them can be looked
 * at from the last one back.
 *
 * @param timeNs nanoseconds since 1970
 * @param op the name of the op
 * @param created the node that it has made, or {@link LogEntry#NO_NODE}
 * @param changed the node whose content or attributes it has changed; null if none
 * @param names the op, if it has changed names; else null
 * @param isWhole whether it has restored everything
 */
record Step(
    long index,
    long timeNs,
    Author author,
    String op,
    NodeId created,
    @Nullable NodeId changed,
    @Nullable FsOp names,
    boolean isWhole) {

  static Step of(LogEntry entry) {
    FsOp op = entry.op();
    NodeId changed = NameChange.changed(op);
    boolean isWhole = op instanceof FsOp.RestoreState;
    boolean isOther = isWhole || op instanceof FsOp.ReapOrphans || op instanceof FsOp.MakeTemporary;
    return new Step(
        entry.index(),
        entry.committedAtNs(),
        new Author(entry.agent(), entry.origin()),
        op.getClass().getSimpleName(),
        entry.createdNode(),
        changed,
        changed != null || isOther ? null : op,
        isWhole);
  }
}
