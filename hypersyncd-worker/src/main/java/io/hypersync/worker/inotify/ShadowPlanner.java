package io.hypersync.worker.inotify;

import io.hypersync.model.id.NodeId;
import io.hypersync.model.state.FsState;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Turns visible entries into shadow calls, in log order. A watch becomes known a while after it was
 * set; so entries are kept until a scan that began after them has been heard of, and what a new
 * watch may have missed is gone through again for it. What happened shortly before it was set may
 * so be reported, too. Single-threaded.
 */
public final class ShadowPlanner {
  /** The most entries kept for watches that are not known yet. */
  static final int MAX_RECENT = 4_096;

  private final Consumer<ShadowJob> jobs;
  private final ArrayDeque<VisibleEntry> recent = new ArrayDeque<>();
  private final ChildNames names = new ChildNames();
  private Map<NodeId, Integer> masks = Map.of();
  private FsState state;
  private long index;
  private long previousScan;
  private long missed;

  /**
   * Nothing is watched.
   *
   * @param index the entries up to this one are visible already
   * @param state the state after it
   * @param jobs takes the calls
   */
  public ShadowPlanner(long index, FsState state, Consumer<ShadowJob> jobs) {
    this.index = index;
    this.previousScan = index;
    this.state = state;
    this.jobs = jobs;
  }

  /** How many entries never got here while something was watched. */
  public long missed() {
    return missed;
  }

  /** An entry has become visible. */
  public void shown(VisibleEntry entry) {
    if (entry.index() <= index) {
      return;
    }
    if (entry.index() != index + 1) {
      missed += masks.isEmpty() ? 0 : entry.index() - index - 1;
      recent.clear();
      names.rebuild(entry.before());
    }
    index = entry.index();
    state = entry.after();
    recent.addLast(entry);
    if (recent.size() > MAX_RECENT) {
      recent.removeFirst();
    }
    if (!masks.isEmpty()) {
      report(entry, masks, names);
      names.follow(entry);
    }
  }

  /**
   * A scan has found these watches.
   *
   * @param watched what each node is watched for; not changed afterwards
   * @param began the newest entry that was visible when the scan began
   */
  public void scanned(Map<NodeId, Integer> watched, long began) {
    Map<NodeId, Integer> added = new HashMap<>();
    watched.forEach(
        (node, mask) -> {
          int bits = mask & ~masks.getOrDefault(node, 0);
          if (bits != 0) {
            added.put(node, bits);
          }
        });
    if (!added.isEmpty()) {
      catchUp(added);
    }
    names.retain(watched.keySet());
    for (NodeId node : added.keySet()) {
      if (!masks.containsKey(node)) {
        names.add(node, state);
      }
    }
    masks = watched;
    previousScan = began;
    while (!recent.isEmpty() && recent.getFirst().index() <= began) {
      recent.removeFirst();
    }
  }

  /** Goes through what the new watches may have missed. */
  private void catchUp(Map<NodeId, Integer> added) {
    List<VisibleEntry> entries =
        recent.stream().filter(entry -> entry.index() > previousScan).toList();
    if (entries.isEmpty()) {
      return;
    }
    ChildNames then = new ChildNames();
    added.keySet().forEach(node -> then.add(node, entries.getFirst().before()));
    for (VisibleEntry entry : entries) {
      if (!isReported(entry)) {
        report(entry, added, then);
      }
      then.follow(entry);
    }
  }

  /** Whether a call for an older watch has touched the very inode, which reached the new one. */
  private boolean isReported(VisibleEntry entry) {
    NodeId node = CallsOfEntry.touched(entry.op());
    if (node == null) {
      return false;
    }
    int mask = CallsOfEntry.touchedMask(entry.op());
    return (masks.getOrDefault(node, 0) & mask) != 0
        || names.of(node).stream()
            .anyMatch(name -> (masks.getOrDefault(name.parent(), 0) & mask) != 0);
  }

  private void report(VisibleEntry entry, Map<NodeId, Integer> wanted, ChildNames then) {
    if (entry.remote()) {
      for (ShadowCall call : CallsOfEntry.of(entry, wanted, then)) {
        jobs.accept(new ShadowJob(call, entry.before(), entry.after()));
      }
    }
  }
}
