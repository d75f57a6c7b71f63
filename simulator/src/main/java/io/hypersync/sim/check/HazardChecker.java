package io.hypersync.sim.check;

import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hazard.Author;
import io.hypersync.model.hazard.CallContext;
import io.hypersync.model.hazard.Hazard;
import io.hypersync.model.hazard.HazardKind;
import io.hypersync.model.hazard.HazardReport;
import io.hypersync.model.hazard.WorkNotes;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.RenameMode;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Entries say of which earlier ones they are in conflict, and say so of no others (hypersync.md
 * 11.1, 11.2). Judged by all entries since the beginning, in the order of the log, over all starts
 * of the leader: one that starts tells what one that had gone on would tell. A path that is told
 * leads to what was changed.
 */
final class HazardChecker {
  /** How many changes of a node count: those of the specification's example. */
  private static final int WINDOW = 256;

  private static final WorkerId LEADER = new WorkerId("hypersync-leader");

  private final Map<NodeId, List<Change>> changes = new HashMap<>();
  private final Map<IntentId, CallContext> contexts;

  /** The leader knows nothing of what was done up to this entry. */
  private long forgotten;

  private enum How {
    BYTES,
    MOVED,
    REPLACED,
    REMOVED
  }

  /**
   * What an entry did to a node.
   *
   * @param written the bytes that it has written, as text; empty if it has cut off or cleared
   */
  private record Change(
      NodeId node, long index, Author author, How how, long from, long end, String written) {
    boolean overlaps(Change other) {
      return Math.min(end, other.end) > Math.max(from, other.from);
    }

    boolean isSameWrite(Change other) {
      return !written.isEmpty()
          && written.equals(other.written)
          && from == other.from
          && end == other.end;
    }
  }

  private record Key(HazardKind kind, NodeId node, Author other) {}

  /** Judges a log from its first entry on. */
  HazardChecker() {
    this(new HashMap<>());
  }

  private HazardChecker(Map<IntentId, CallContext> contexts) {
    this.contexts = contexts;
  }

  /** Judges the log of a leader that takes over, from its first entry on. */
  HazardChecker successor() {
    return new HazardChecker(contexts);
  }

  /** An entry was judged in the log of a leader before. */
  void replayed(LogEntry entry, FsState before, FsState after) {
    if (entry.op() instanceof FsOp.RestoreState) {
      changes.clear();
    } else if (!entry.origin().equals(LEADER)) {
      keep(changes(entry, before, after));
    }
  }

  private void keep(List<Change> own) {
    own.forEach(change -> changes.computeIfAbsent(change.node, _ -> new ArrayList<>()).add(change));
  }

  /** A worker sends an intent. */
  void sent(IntentId intent, CallContext context) {
    contexts.put(intent, context);
  }

  /** A leader has begun that knows nothing of what was done up to an entry; 0 if it knows all. */
  void begun(long forgottenThrough) {
    forgotten = forgottenThrough;
  }

  /** An entry is durable. */
  void accept(LogEntry entry, FsState before, FsState after) {
    if (entry.op() instanceof FsOp.RestoreState) {
      changes.clear();
      return;
    }
    List<Change> own = entry.origin().equals(LEADER) ? List.of() : changes(entry, before, after);
    CallContext context = contexts.getOrDefault(entry.intent(), CallContext.NONE);
    Map<Key, Long> expected = new LinkedHashMap<>();
    for (Change change : own) {
      List<Change> earlier =
          changes.getOrDefault(change.node, List.of()).stream()
              .filter(other -> other.index > forgotten)
              .toList();
      for (Change other : earlier.subList(Math.max(0, earlier.size() - WINDOW), earlier.size())) {
        if (other.author.isSame(change.author)) {
          continue;
        }
        HazardKind kind = kind(change, other, before);
        if (kind != null) {
          expected.put(new Key(kind, change.node, other.author), other.index); // the latest
        }
        if (isStale(change, other, context.seen())) {
          expected.put(new Key(HazardKind.STALE_OVERWRITE, change.node, other.author), other.index);
        }
      }
    }
    compare(entry, expected, before, after);
    keep(own);
  }

  private static boolean isStale(Change now, Change earlier, long seen) {
    boolean isOver =
        now.how == How.REPLACED
            || (now.how == How.BYTES
                && !now.written.isEmpty()
                && !earlier.written.isEmpty()
                && now.overlaps(earlier)
                && !now.isSameWrite(earlier));
    return earlier.how == How.BYTES
        && isOver
        && seen != CallContext.NOT_KNOWN
        && seen < earlier.index;
  }

  private static void compare(
      LogEntry entry, Map<Key, Long> expected, FsState before, FsState after) {
    Map<Key, Long> told = new LinkedHashMap<>();
    boolean leaves = false;
    HazardReport report = report(entry);
    // There are neither reservations nor repositories here.
    Violation.unless(
        report.notes().equals(WorkNotes.NONE), "entry ", entry.index(), " has ", report.notes());
    for (Hazard hazard : report.hazards()) {
      comparePath(entry, hazard, before, after);
      switch (hazard) {
        case Hazard.Overlap overlap ->
            told.put(
                new Key(overlap.kind(), overlap.node(), overlap.other()), overlap.conflictsWith());
        case Hazard.Reserved _ ->
            throw new Violation(
                "entry " + entry.index() + " tells of a reservation; there is none");
        case Hazard.Advice _ -> leaves = true;
      }
    }
    boolean mayLeave =
        entry.op() instanceof FsOp.MakeSymlink link
            && link.target()[0] == '/'
            && !entry.origin().equals(LEADER);
    Violation.unless(leaves == mayLeave, "entry ", entry.index(), " leads out: ", entry.op());
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

  /** A path that is told leads to the node, unless that has no name any more. */
  private static void comparePath(LogEntry entry, Hazard hazard, FsState before, FsState after) {
    if (hazard.path().length == 0) {
      return;
    }
    Node target = before.node(hazard.node());
    boolean isNameless = target != null && target.attributes().nlink() == 0;
    Violation.unless(
        isNameless || leads(hazard.path(), hazard.node(), target == null ? after : before),
        "entry ",
        entry.index(),
        " tells of ",
        hazard.node(),
        " as ",
        new String(hazard.path(), StandardCharsets.UTF_8));
  }

  private static boolean leads(byte[] path, NodeId to, FsState state) {
    Node at = state.node(FsState.ROOT);
    for (String name : new String(path, StandardCharsets.ISO_8859_1).split("/", -1)) { // any bytes
      at =
          at == null ? null : state.lookup(at, Name.of(name.getBytes(StandardCharsets.ISO_8859_1)));
    }
    return at != null && at.id().equals(to);
  }

  private static HazardReport report(LogEntry entry) {
    try {
      return HazardReport.read(entry.hazard());
    } catch (DecodeException e) {
      throw new Violation("entry " + entry.index() + " has no report of hazards: " + e);
    }
  }

  private static @Nullable HazardKind kind(Change now, Change earlier, FsState before) {
    boolean wasMoved = earlier.how == How.MOVED;
    if (now.how == How.BYTES) {
      if (earlier.how == How.BYTES) {
        return now.overlaps(earlier) && !now.isSameWrite(earlier)
            ? HazardKind.OVERLAPPING_WRITE
            : null;
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
        yield bytes(
            entry,
            write.node(),
            write.offset(),
            write.offset() + bytes,
            write.chunks().toString(),
            before,
            after);
      }
      case FsOp.Truncate cut -> {
        Node node = before.node(cut.node());
        long size = node == null ? cut.size() : node.attributes().size();
        yield bytes(
            entry,
            cut.node(),
            Math.min(size, cut.size()),
            Math.max(size, cut.size()),
            "",
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
                  "",
                  before,
                  after)
              : List.of();
      case FsOp.CopyRange copy ->
          bytes(
              entry,
              copy.target(),
              copy.targetOffset(),
              copy.targetOffset() + copy.length(),
              "copied by entry " + entry.index(),
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
      LogEntry entry,
      NodeId id,
      long from,
      long end,
      String written,
      FsState before,
      FsState after) {
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
        : List.of(new Change(id, entry.index(), author(entry), How.BYTES, from, end, written));
  }

  private static List<Change> names(
      LogEntry entry, FsState before, NodeId parent, Name name, How how) {
    Node directory = before.node(parent);
    Node node = directory == null ? null : before.lookup(directory, name);
    return node == null
        ? List.of()
        : List.of(new Change(node.id(), entry.index(), author(entry), how, 0, 0, ""));
  }

  private static Author author(LogEntry entry) {
    return new Author(entry.agent(), entry.origin());
  }
}
