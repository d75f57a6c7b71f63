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
 * The orphans of S_head, and for each the entry that took its last name. Collected from the
 * recovered state once and updated with every entry. Each orphan is examined when it becomes due,
 * and again after a pause if it was open then, so no call walks through all of them. Called on the
 * agent's thread.
 */
public final class Orphans {
  /** Valid while {@link #since} has the same index for the node. */
  private record Orphan(NodeId node, long index, long untilNs) {}

  private final Map<NodeId, Long> since = new HashMap<>();
  private final ArrayDeque<Orphan> fresh = new ArrayDeque<>();
  private final ArrayDeque<Orphan> seenHeld = new ArrayDeque<>();

  /**
   * Collects the orphans of a recovered state.
   *
   * @param index its last entry, used for all of them because their own entries are not known
   */
  public Orphans(FsState recovered, long index) {
    recovered.orphans().forEach(orphan -> add(orphan.node(), index));
  }

  /** Updates the orphans after an entry was added to the log. */
  public void applied(LogEntry entry, FsState before, FsState after) {
    OrphanChanges.report(
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

  /** Whether a node is an orphan. */
  public boolean contains(NodeId node) {
    return since.containsKey(node);
  }

  /** How many orphans there are. */
  public int size() {
    return since.size();
  }

  /**
   * Orphans that have been so since {@code index} or earlier and on which nobody holds a lease.
   * None of them is returned again before the pause is over.
   *
   * @param max the most orphans that are examined
   * @param pauseNs after how long one is examined again
   */
  List<NodeId> ripe(long index, Predicate<NodeId> isHeld, int max, long nowNs, long pauseNs) {
    List<NodeId> ripe = new ArrayList<>();
    long untilNs = nowNs + pauseNs;
    int looked = 0;
    // Half of the examinations are for new orphans, however many held ones are due.
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
        // A worker has connected since, and has not had the time to report that the node is open
        // there.
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

  /**
   * Whether the node has been without a name since that entry; it may have got a name, and even
   * lost it again.
   */
  private boolean isCurrent(Orphan orphan) {
    Long index = since.get(orphan.node);
    return index != null && index == orphan.index;
  }

  private void add(NodeId node, long index) {
    since.put(node, index);
    fresh.addLast(new Orphan(node, index, 0));
  }
}
