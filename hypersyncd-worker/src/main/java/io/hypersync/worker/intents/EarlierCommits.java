package io.hypersync.worker.intents;

import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.wire.message.LeaderMessage.Committed;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the process that served the mount before has had committed, and may not have answered: the
 * kernel sends those requests again, and they must not be done again. Single-threaded.
 */
final class EarlierCommits {
  /** Far more than requests can be under way at a time; older entries are answered long since. */
  private static final int MAX_ENTRIES = 1 << 14;

  private static final byte[] NOTHING = {};

  private final WorkerId worker;
  private final long start;
  private final Supplier<FsState> visible;

  private final Map<IntentId, LogEntry> entries =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<IntentId, LogEntry> eldest) {
          return size() > MAX_ENTRIES;
        }
      };

  /**
   * Nothing is known yet.
   *
   * @param start the entry that this process has begun with: it has not seen it nor those before
   * @param visible the newest visible state
   */
  EarlierCommits(WorkerId worker, long start, Supplier<FsState> visible) {
    this.worker = worker;
    this.start = start;
    this.visible = visible;
  }

  /** An entry has become visible for which no caller waits here. */
  void shown(LogEntry entry) {
    if (entry.origin().equals(worker)) {
      entries.put(
          entry.intent(),
          new LogEntry( // without its bytes, which may be many
              entry.index(),
              entry.opId(),
              entry.committedAtNs(),
              entry.intent(),
              entry.origin(),
              entry.agent(),
              entry.op(),
              entry.createdNode(),
              entry.root(),
              NOTHING,
              NOTHING));
    }
  }

  /** The entry that an intent has become and that is visible here; null if it is not known. */
  @Nullable LogEntry take(IntentId intent) {
    return entries.remove(intent);
  }

  /** The newest visible state. */
  FsState state() {
    return visible.get();
  }

  /**
   * The entry of an intent that was committed before this process began, and so is in the state
   * that it began with; null if it is a later one, which comes or has come over the log. The node
   * that it made is found by its name.
   */
  @Nullable LogEntry before(IntentId intent, @Nullable Committed place, Mutation mutation) {
    if (place == null || place.logIndex() > start) {
      return null;
    }
    return new LogEntry(
        place.logIndex(),
        place.opId(),
        place.committedAtNs(),
        intent,
        worker,
        mutation.agent(),
        mutation.op(),
        made(mutation.op()),
        place.root(),
        NOTHING,
        NOTHING);
  }

  private NodeId made(FsOp op) {
    return switch (op) {
      case FsOp.CreateFile make -> at(make.parent(), make.name());
      case FsOp.MakeDir make -> at(make.parent(), make.name());
      case FsOp.MakeSymlink make -> at(make.parent(), make.name());
      case FsOp.MakeNode make -> at(make.parent(), make.name());
      default -> LogEntry.NO_NODE;
    };
  }

  private NodeId at(NodeId parent, Name name) {
    FsState state = visible.get();
    Node directory = state.node(parent);
    Node found = directory == null ? null : state.lookup(directory, name);
    return found == null ? LogEntry.NO_NODE : found.id();
  }
}
