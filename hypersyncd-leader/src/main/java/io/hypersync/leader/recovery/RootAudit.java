package io.hypersync.leader.recovery;

import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.FsStateMachine;
import io.hypersync.model.state.Outcome;
import io.hypersync.model.state.RestoredStates;
import io.hypersync.model.state.Stamp;
import org.jspecify.annotations.Nullable;

/**
 * Replays the log of a running leader, from the first entry to one whose root is doubted. The
 * replay shares nothing with the leader's own state, so memory corruption there cannot affect it.
 * Single-threaded. {@link RootCheck} says which roots are compared; that of the doubted entry
 * always is.
 */
public final class RootAudit {
  private final long asked;
  private final RestoredStates restored;
  private final RootCheck roots;
  private FsState state = FsState.genesis();
  private Hash root = state.root();
  private long index;
  private int runChunks;

  /**
   * Starts from the empty filesystem: it needs a log that was not trimmed.
   *
   * @param asked index of the doubted entry, 1 or more
   * @param restored reads what entries restore, and shares nothing with the leader's own state
   */
  public RootAudit(long asked, RestoredStates restored) {
    this.asked = asked;
    this.restored = restored;
    this.roots = new RootCheck(state, RootHashing.AT_ONCE, restored);
  }

  /** The index of the entry that {@link #take} expects next. */
  public long next() {
    return index + 1;
  }

  /**
   * Applies the next entry.
   *
   * @return the finding, which ends the audit, or null if the next entry is needed
   * @throws io.hypersync.model.trie.PageUnreadableException if a state that the entry restores
   *     cannot be read
   */
  public @Nullable AuditFinding take(byte[] payload) {
    long number = next();
    LogEntry entry;
    try {
      entry = LogEntryCodec.decode(payload);
    } catch (DecodeException e) {
      return new AuditFinding.Wrong(asked, number, String.valueOf(e.getMessage()));
    }
    if (entry.index() != number) {
      return new AuditFinding.Wrong(asked, number, "it says that it is entry " + entry.index());
    }
    Stamp stamp = new Stamp(entry.committedAtNs(), entry.createdNode());
    switch (FsStateMachine.apply(state, entry.op(), stamp, restored)) {
      case Outcome.Failed(var errno) -> {
        AuditFinding earlier = wrong(roots.finish(state));
        return earlier != null
            ? earlier
            : new AuditFinding.Wrong(asked, number, "its op fails with " + errno);
      }
      case Outcome.Applied(FsState after) -> state = after;
    }
    index = number;
    root = entry.root();
    roots.add(index, entry.op(), stamp, root);
    runChunks += LogReplay.extents(state, entry.op());
    if (index == asked) {
      AuditFinding wrong = wrong(roots.finish(state));
      return wrong != null ? wrong : new AuditFinding.Right(asked, root);
    }
    if (roots.size() < LogReplay.LONG_RUNS && runChunks < LogReplay.MAX_RUN_CHUNKS) {
      return null;
    }
    runChunks = 0;
    return wrong(roots.endRun(state));
  }

  private @Nullable AuditFinding wrong(RootCheck.@Nullable Mismatch mismatch) {
    return mismatch == null
        ? null
        : new AuditFinding.Wrong(asked, mismatch.index(), mismatch.toString());
  }
}
