package io.hypersync.sim.check;

import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hazard.Author;
import io.hypersync.model.hazard.Hazard;
import io.hypersync.model.hazard.HazardKind;
import io.hypersync.model.hazard.HazardReport;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.RenameMode;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Entries say of which earlier ones they are in conflict, and say so of no others (hypersync.md
 * 11.1, 11.2). Judged by all entries since the leader's last start, in the order of the log.
 */
final class HazardChecker {
  /** How many changes of a node count: those of the specification's example. */
  private static final int WINDOW = 256;

  private static final WorkerId LEADER = new WorkerId("hypersync-leader");

  private final Map<NodeId, List<Change>> changes = new HashMap<>();

  private enum How {
    BYTES,
    MOVED,
    REPLACED,
    REMOVED
  }

  private record Change(NodeId node, long index, Author author, How how, long from, long end) {}

  private record Key(HazardKind kind, NodeId node, Author other) {}

  /** The leader is another one, which knows nothing of before. */
  void restarted() {
    changes.clear();
  }

  /** An entry is durable. */
  void accept(LogEntry entry, FsState before, FsState after) {
    if (entry.op() instanceof FsOp.RestoreState) {
      changes.clear();
      return;
    }
    List<Change> own = entry.origin().equals(LEADER) ? List.of() : changes(entry, before, after);
    Map<Key, Long> expected = new LinkedHashMap<>();
    for (Change change : own) {
      List<Change> earlier = changes.getOrDefault(change.node, List.of());
      for (Change other : earlier.subList(Math.max(0, earlier.size() - WINDOW), earlier.size())) {
        HazardKind kind = kind(change, other, before);
        if (kind != null && !other.author.isSame(change.author)) {
          expected.put(new Key(kind, change.node, other.author), other.index); // the latest
        }
      }
    }
    compare(entry, expected);
    own.forEach(change -> changes.computeIfAbsent(change.node, _ -> new ArrayList<>()).add(change));
  }

  private static void compare(LogEntry entry, Map<Key, Long> expected) {
    Map<Key, Long> told = new LinkedHashMap<>();
    for (Hazard hazard : decoded(entry)) {
      switch (hazard) {
        case Hazard.Overlap overlap ->
            told.put(
                new Key(overlap.kind(), overlap.node(), overlap.other()), overlap.conflictsWith());
        case Hazard.Reserved _ ->
            throw new Violation(
                "entry " + entry.index() + " tells of a reservation; there is none");
      }
    }
    boolean isRight =
        expected.size() <= HazardReport.MAX_HAZARDS
            ? told.equals(expected)
            : told.size() == HazardReport.MAX_HAZARDS
                && expected.entrySet().containsAll(told.entrySet());
    Violation.unless(
        isRight,
        "entry ",
        entry.index(),
        " (",
        entry.op(),
        ") tells of the hazards ",
        told,
        ", and has ",
        expected);
  }

  private static List<Hazard> decoded(LogEntry entry) {
    try {
      return HazardReport.decode(entry.hazard());
    } catch (DecodeException e) {
      throw new Violation("entry " + entry.index() + " has no report of hazards: " + e);
    }
  }

  private static @Nullable HazardKind kind(Change now, Change earlier, FsState before) {
    boolean wasMoved = earlier.how == How.MOVED;
    if (now.how == How.BYTES) {
      if (earlier.how == How.BYTES) {
        long overlap = Math.min(now.end, earlier.end) - Math.max(now.from, earlier.from);
        return overlap > 0 ? HazardKind.OVERLAPPING_WRITE : null;
      }
      Node node = before.node(now.node);
      boolean isLost = node != null && node.attributes().nlink() == 0;
      return wasMoved
          ? HazardKind.CONCURRENT_RENAME
          : isLost ? HazardKind.WRITE_AFTER_UNLINK : null;
    }
    boolean isOfNames = now.how == How.MOVED || now.how == How.REPLACED;
    return isOfNames && (wasMoved || earlier.how == How.BYTES)
        ? HazardKind.CONCURRENT_RENAME
        : null;
  }

  private static List<Change> changes(LogEntry entry, FsState before, FsState after) {
    return switch (entry.op()) {
      case FsOp.Write write -> {
        long bytes = write.chunks().stream().mapToLong(ChunkRef::length).sum();
        yield bytes(entry, write.node(), write.offset(), write.offset() + bytes, before, after);
      }
      case FsOp.Truncate cut -> {
        Node node = before.node(cut.node());
        long size = node == null ? cut.size() : node.attributes().size();
        yield bytes(
            entry,
            cut.node(),
            Math.min(size, cut.size()),
            Math.max(size, cut.size()),
            before,
            after);
      }
      case FsOp.Allocate clear ->
          clear.mode().clears()
              ? bytes(
                  entry,
                  clear.node(),
                  clear.offset(),
                  clear.offset() + clear.length(),
                  before,
                  after)
              : List.of();
      case FsOp.CopyRange copy ->
          bytes(
              entry,
              copy.target(),
              copy.targetOffset(),
              copy.targetOffset() + copy.length(),
              before,
              after);
      case FsOp.Unlink unlink -> names(entry, before, unlink.parent(), unlink.name(), How.REMOVED);
      case FsOp.Rename rename -> {
        List<Change> moved = names(entry, before, rename.parent(), rename.name(), How.MOVED);
        How how = rename.mode() == RenameMode.EXCHANGE ? How.MOVED : How.REPLACED;
        List<Change> all = new ArrayList<>(moved);
        for (Change there : names(entry, before, rename.newParent(), rename.newName(), how)) {
          if (!there.node.equals(moved.getFirst().node)) {
            all.add(there);
          }
        }
        yield all;
      }
      default -> List.of();
    };
  }

  private static List<Change> bytes(
      LogEntry entry, NodeId id, long from, long end, FsState before, FsState after) {
    Node old = before.node(id);
    Node now = after.node(id);
    boolean isNothing =
        from >= end
            || old == null
            || now == null
            || (old.attributes().size() == now.attributes().size()
                && old.content()
                    .root(before.version())
                    .equals(now.content().root(after.version())));
    return isNothing
        ? List.of()
        : List.of(new Change(id, entry.index(), author(entry), How.BYTES, from, end));
  }

  private static List<Change> names(
      LogEntry entry, FsState before, NodeId parent, Name name, How how) {
    Node directory = before.node(parent);
    Node node = directory == null ? null : before.lookup(directory, name);
    return node == null
        ? List.of()
        : List.of(new Change(node.id(), entry.index(), author(entry), how, 0, 0));
  }

  private static Author author(LogEntry entry) {
    return new Author(entry.agent(), entry.origin());
  }
}
