package io.hypersync.leader.lease;

import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.OrphanChanges;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The nodes of S_head without a name, and since which entry. Found in the recovered state once, and
 * followed from then on. Each is looked at when its time has come, and again after a pause if it
 * was open then: nobody ever walks through all of them.
 */
public final class Orphans {
  /** Valid while {@link #since} says the same index of the node. */
  private record Orphan(NodeId node, long index, long untilNs) {}

  private final Map<NodeId, Long> since = new HashMap<>();
  private final ArrayDeque<Orphan> fresh = new ArrayDeque<>();
  private final ArrayDeque<Orphan> seenHeld = new ArrayDeque<>();

  /**
   * The orphans of a recovered state.
   *
   * @param index its last entry: which one made each of them is not known
   */
  public Orphans(FsState recovered, long index) {
    recovered
        .nodes()
        .forEach(
            node -> {
              if (node.isOrphan()) {
                add(node.id(), index);
              }
            });
  }

  /** An entry was added to the log. */
  public void applied(LogEntry entry, FsState before, FsState after) {
    OrphanChanges.tell(
        entry,
        before,
        after,
        new OrphanChanges.Listener() {
          @Override
          public void orphaned(Node node) {
            add(node.id(), entry.index());
          }

          @Override
          public void orphanGone(NodeId node) {
            since.remove(node);
          }
        });
  }

  /** How many there are. */
  public int size() {
    return since.size();
  }

  /**
   * Some that are orphans since {@code index} or longer and that nobody holds. They are not given
   * out again before the pause is over.
   *
   * @param max how many are looked at, at most
   * @param pauseNs after which one that is held is looked at again
   */
  List<NodeId> ripe(long index, Predicate<NodeId> isHeld, int max, long nowNs, long pauseNs) {
    List<NodeId> ripe = new ArrayList<>();
    long untilNs = nowNs + pauseNs;
    int looked = 0;
    // Half of the looks for those that are new, however many are held.
    while (looked < max / 2 && isRipe(fresh, index)) {
      looked++;
      look(fresh.removeFirst(), isHeld, untilNs, ripe);
    }
    while (looked < max && !seenHeld.isEmpty() && seenHeld.getFirst().untilNs - nowNs <= 0) {
      looked++;
      Orphan orphan = seenHeld.removeFirst();
      if (orphan.index <= index) {
        look(orphan, isHeld, untilNs, ripe);
      } else if (isCurrent(orphan)) {
        // Somebody has come since who has not had the time to say that it is open there, too.
        seenHeld.addLast(new Orphan(orphan.node, orphan.index, untilNs));
      }
    }
    while (looked < max && isRipe(fresh, index)) {
      looked++;
      look(fresh.removeFirst(), isHeld, untilNs, ripe);
    }
    return ripe;
  }

  private static boolean isRipe(ArrayDeque<Orphan> orphans, long index) {
    return !orphans.isEmpty() && orphans.getFirst().index <= index;
  }

  private void look(Orphan orphan, Predicate<NodeId> isHeld, long untilNs, List<NodeId> ripe) {
    if (!isCurrent(orphan)) {
      return;
    }
    if (!isHeld.test(orphan.node)) {
      ripe.add(orphan.node);
    }
    seenHeld.addLast(new Orphan(orphan.node, orphan.index, untilNs));
  }

  /** Whether it has no name since then; it may have got one, and perhaps lost it again. */
  private boolean isCurrent(Orphan orphan) {
    Long index = since.get(orphan.node);
    return index != null && index == orphan.index;
  }

  private void add(NodeId node, long index) {
    since.put(node, index);
    fresh.addLast(new Orphan(node, index, 0));
  }
}
