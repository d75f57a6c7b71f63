package io.hypersync.sim.check;

import io.hypersync.model.history.NameChange;
import io.hypersync.model.history.NamePlace;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.undo.UndoAgent.Role;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/** Compares what an undo wants with the log: what others have changed last is left as it is. */
public final class UndoChecker {
  private final LogChecker log;

  /** A checker by the log. */
  public UndoChecker(LogChecker log) {
    this.log = log;
  }

  /**
   * An undo was planned.
   *
   * @param first the first entry that it knows of
   * @param last the newest entry then
   * @param target what is to be
   */
  public void planned(long first, long last, Function<LogEntry, Role> roles, FsState target) {
    Map<NodeId, LogEntry> nodes = new HashMap<>();
    Map<NamePlace, LogEntry> names = new HashMap<>();
    for (long k = first; k <= last; k++) {
      LogEntry entry = log.entry(k);
      if (entry.op() instanceof FsOp.RestoreState) {
        return; // which changes any number of things
      }
      NodeId changed = NameChange.changed(entry.op());
      if (changed != null) {
        nodes.put(changed, entry);
      }
      for (NameChange change : NameChange.of(entry.op(), entry.createdNode(), log.state(k - 1))) {
        names.put(change.place(), entry);
      }
    }
    FsState head = log.state(last);
    nodes.forEach(
        (id, entry) -> {
          if (roles.apply(entry) == Role.OTHER && head.hasNamed(id)) {
            Node wanted = target.node(id);
            Violation.unless(
                wanted != null && !wanted.isOrphan() && isSame(head.node(id), wanted, head),
                "an undo changes ",
                id,
                ", which is of entry ",
                entry.index());
          }
        });
    names.forEach(
        (place, entry) -> {
          if (roles.apply(entry) == Role.OTHER && head.hasNamed(place.directory())) {
            NodeId now = NameChange.at(place, head);
            boolean isGone = now == null && !target.hasNamed(place.directory());
            Violation.unless(
                isGone || Objects.equals(now, NameChange.at(place, target)),
                "an undo changes the name ",
                place,
                ", which is of entry ",
                entry.index());
          }
        });
  }

  private static boolean isSame(Node one, Node other, FsState state) {
    return one.type() == NodeType.DIRECTORY
        || (one.attributes().size() == other.attributes().size()
            && one.attributes().mode() == other.attributes().mode()
            && one.content().root(state.version()).equals(other.content().root(state.version()))
            && one.xattrs().root(state.version()).equals(other.xattrs().root(state.version())));
  }
}
