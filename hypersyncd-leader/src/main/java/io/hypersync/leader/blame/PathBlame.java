package io.hypersync.leader.blame;

import io.hypersync.leader.history.LogScan;
import io.hypersync.model.history.NamePlace;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.RenameMode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Finds who has changed what is at a path, from the newest entry back. What is there is followed
 * through its renames; what was there before it, too, as editors replace a file by a new one when
 * they save it.
 *
 * <p>Entries name nodes by ids, and a removal does not say which node it was. So of what is not
 * there any more the changes of names are found first. When its creation is found its id is known,
 * and what is between is looked at once more. So each entry is read twice at most.
 *
 * <p>Takes memory for one block of the log, for the answer, and for some nodes. Not thread-safe.
 */
public final class PathBlame {
  private static final int BLOCK_ENTRIES = 2_048;

  /** So many nodes are followed. */
  private static final int MOST_LEADS = 256;

  private final LogScan log;
  private final @Nullable NamePlace asked;
  private final @Nullable NodeId node;
  private final int limit;

  /** By the name that they have at this point. */
  private final Map<NamePlace, Lead> byPlace = new HashMap<>();

  private final Map<NodeId, Lead> byNode = new HashMap<>();

  /** The newest ones; the oldest of them first. */
  private final PriorityQueue<Blamed> found =
      new PriorityQueue<>(Comparator.comparingLong(Blamed::index));

  private int leads;
  private boolean isEnded;

  /** A node that is, or was, at the path. */
  private static final class Lead {
    @Nullable NamePlace place;
    @Nullable NodeId node;

    /** The entry that has taken it away from the path; entries behind it are not about it. */
    final long end;

    Lead(@Nullable NamePlace place, @Nullable NodeId node, long end) {
      this.place = place;
      this.node = node;
      this.end = end;
    }
  }

  /**
   * What was found.
   *
   * @param changes the newest first
   * @param searchedFrom the oldest entry that was looked at
   * @param isComplete whether there is nothing older, or the limit is reached
   * @param isContentKnown false if changes of content may be missing, because it was not found
   *     which node was at the path
   */
  public record Result(
      List<Blamed> changes, long searchedFrom, boolean isComplete, boolean isContentKnown) {}

  private PathBlame(LogScan log, @Nullable NamePlace asked, @Nullable NodeId node, int limit) {
    this.log = log;
    this.asked = asked;
    this.node = node;
    this.limit = limit;
  }

  /**
   * Looks.
   *
   * @param asked the name; null for the root
   * @param node what it leads to in the newest state; null if it does not exist
   * @param first the oldest entry that may be looked at
   * @param last the newest entry
   * @param limit how many changes are wanted, at least 1
   * @param beyond how many entries are looked at behind the last change that was found, from the
   *     newest one on; fewer changes than the limit are found then
   * @throws IOException if the log cannot be read
   */
  public static Result of(
      LogScan log,
      @Nullable NamePlace asked,
      @Nullable NodeId node,
      long first,
      long last,
      int limit,
      long beyond)
      throws IOException {
    return new PathBlame(log, asked, node, limit).search(first, last, beyond);
  }

  private Result search(long first, long last, long beyond) throws IOException {
    if (node != null) {
      add(new Lead(asked, node, Long.MAX_VALUE));
    }
    long next = last + 1;
    long hit = 0; // the last one that was found; 0 for none
    while (next > first && !isEnded && !isDone(next) && (hit == 0 || hit - next < beyond)) {
      long from = Math.max(first, next - BLOCK_ENTRIES);
      List<Step> block = new ArrayList<>();
      long end = next - 1;
      log.forEach(
          from,
          end,
          entry -> {
            block.add(Step.of(entry));
            return false;
          });
      for (int i = block.size() - 1; i >= 0 && !isEnded; i--) {
        int before = found.size();
        look(block.get(i));
        if (found.size() > before) {
          hit = block.get(i).index();
        }
      }
      next = from;
    }
    List<Blamed> changes = new ArrayList<>(found);
    changes.sort(Comparator.comparingLong(Blamed::index).reversed());
    boolean isKnown = byPlace.values().stream().allMatch(lead -> lead.node != null);
    return new Result(changes, next, isEnded || next <= first || isDone(next), isKnown);
  }

  /** Whether all that could be added is older than what there is. */
  private boolean isDone(long next) {
    Blamed oldest = found.size() < limit ? null : found.peek();
    return oldest != null
        && oldest.index() >= next
        && byPlace.values().stream()
            .noneMatch(lead -> lead.node == null && lead.end > oldest.index());
  }

  private void add(Lead lead) {
    if (leads >= MOST_LEADS) {
      return;
    }
    leads++;
    if (lead.place != null) {
      byPlace.put(lead.place, lead);
    }
    if (lead.node != null) {
      byNode.put(lead.node, lead);
    }
  }

  private void hit(Step step, Blamed.What what, @Nullable NamePlace place, @Nullable NamePlace to) {
    found.add(new Blamed(step.index(), step.timeNs(), step.author(), step.op(), what, place, to));
    if (found.size() > limit) {
      found.poll();
    }
  }

  private void look(Step step) throws IOException {
    if (step.isWhole()) {
      hit(step, Blamed.What.ALL_RESTORED, asked, null);
      isEnded = true;
      return;
    }
    NodeId changed = step.changed();
    if (changed != null) {
      Lead lead = byNode.get(changed);
      if (lead != null) {
        hit(step, Blamed.What.CHANGED, lead.place, null);
      }
      return;
    }
    FsOp op = step.names();
    if (op == null) {
      if (byNode.remove(step.created()) != null) { // a file that was made without a name
        hit(step, Blamed.What.MADE, null, null);
      }
      return;
    }
    switch (op) {
      case FsOp.CreateFile make -> made(step, new NamePlace(make.parent(), make.name()));
      case FsOp.MakeDir make -> made(step, new NamePlace(make.parent(), make.name()));
      case FsOp.MakeSymlink make -> made(step, new NamePlace(make.parent(), make.name()));
      case FsOp.MakeNode make -> made(step, new NamePlace(make.parent(), make.name()));
      case FsOp.Link link ->
          linked(step, new NamePlace(link.newParent(), link.newName()), link.node());
      case FsOp.LinkTemporary link ->
          linked(step, new NamePlace(link.newParent(), link.newName()), link.node());
      case FsOp.Unlink unlink -> removed(step, new NamePlace(unlink.parent(), unlink.name()));
      case FsOp.RemoveDir remove -> removed(step, new NamePlace(remove.parent(), remove.name()));
      case FsOp.Rename rename ->
          renamed(
              step,
              new NamePlace(rename.parent(), rename.name()),
              new NamePlace(rename.newParent(), rename.newName()),
              rename.mode());
      case FsOp.Write _,
          FsOp.Truncate _,
          FsOp.Allocate _,
          FsOp.CopyRange _,
          FsOp.SetAttributes _,
          FsOp.SetXattr _,
          FsOp.RemoveXattr _,
          FsOp.MakeTemporary _,
          FsOp.ReapOrphans _,
          FsOp.RestoreState _ ->
          throw new IllegalStateException("no op on names: " + step.op());
    }
  }

  /** A change of a name in the directory that is at the path. */
  private void inside(Step step, NamePlace place, @Nullable NamePlace other) {
    if (place.directory().equals(node)) {
      hit(step, Blamed.What.ENTRY, place, other);
    }
  }

  private void made(Step step, NamePlace place) throws IOException {
    Lead named = byPlace.remove(place);
    Lead lead = named == null ? byNode.get(step.created()) : named; // which had another name
    if (lead == null) {
      inside(step, place, null);
      return;
    }
    hit(step, Blamed.What.MADE, place, null);
    identify(lead, step.created(), step.index());
    byNode.remove(step.created());
  }

  private void linked(Step step, NamePlace place, NodeId linked) throws IOException {
    Lead lead = byPlace.remove(place);
    if (lead == null) {
      inside(step, place, null);
      return;
    }
    hit(step, Blamed.What.LINKED, place, null);
    identify(lead, linked, step.index());
    lead.place = null; // it has other names, or was made without one
  }

  /** It is known now which node this is: looks for its changes since then. */
  private void identify(Lead lead, NodeId id, long index) throws IOException {
    if (lead.node != null) {
      return;
    }
    lead.node = id;
    byNode.put(id, lead);
    log.forEach(
        index + 1,
        lead.end - 1,
        entry -> {
          Step step = Step.of(entry);
          if (id.equals(step.changed())) {
            hit(step, Blamed.What.CHANGED, lead.place, null);
          }
          return false;
        });
  }

  private void removed(Step step, NamePlace place) {
    if (!place.equals(asked)) {
      inside(step, place, null);
      return;
    }
    hit(step, Blamed.What.REMOVED, place, null);
    add(new Lead(place, null, step.index()));
  }

  private void renamed(Step step, NamePlace from, NamePlace to, RenameMode mode) {
    if (from.equals(to)) {
      return;
    }
    Lead moved = byPlace.remove(to);
    Lead other = byPlace.remove(from);
    boolean isHit = false;
    if (moved != null) {
      hit(step, Blamed.What.MOVED, to, from);
      isHit = true;
      move(moved, from);
    }
    if (mode == RenameMode.EXCHANGE) {
      if (other != null) {
        if (!isHit) {
          hit(step, Blamed.What.MOVED, from, to);
        }
        isHit = true;
        move(other, to);
      }
      NamePlace path = asked;
      if (path != null && (path.equals(from) || path.equals(to)) && !byPlace.containsKey(path)) {
        add(new Lead(path, null, step.index())); // what has the other name then
      }
    } else if (from.equals(asked)) {
      if (!isHit) {
        hit(step, Blamed.What.MOVED_AWAY, from, to);
      }
      isHit = true;
      add(new Lead(from, null, step.index()));
    }
    if (to.equals(asked) && mode == RenameMode.REPLACE) {
      add(new Lead(to, null, step.index())); // what was replaced, if anything was
    }
    if (!isHit) {
      if (to.directory().equals(node)) {
        inside(step, to, from);
      } else {
        inside(step, from, to);
      }
    }
  }

  private void move(Lead lead, NamePlace place) {
    lead.place = place;
    byPlace.put(place, lead);
  }
}
