package io.hypersync.leader.hazard;

import io.hypersync.model.hazard.Author;
import io.hypersync.model.hazard.CallContext;
import io.hypersync.model.hazard.Hazard;
import io.hypersync.model.hazard.HazardKind;
import io.hypersync.model.hazard.HazardReport;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What one entry is in conflict with: for each kind, node and other author the latest earlier
 * entry.
 */
final class Findings {
  private final Author author;
  private final long seen;
  private final FsState before;
  private final TouchWindow window;
  private final List<Hazard> hazards;
  private final Set<Told> told = new HashSet<>();

  private record Told(HazardKind kind, NodeId node, Author other) {}

  /**
   * Nothing was looked at yet.
   *
   * @param seen as in {@link CallContext}
   * @param found those hazards that were found before
   */
  Findings(
      Author author, long seen, FsState before, TouchWindow window, List<? extends Hazard> found) {
    this.author = author;
    this.seen = seen;
    this.before = before;
    this.window = window;
    this.hazards = new ArrayList<>(found);
  }

  /** What was found, at most {@link HazardReport#MAX_HAZARDS}. */
  List<Hazard> hazards() {
    return hazards;
  }

  /** Adds something that has to do with nobody else. */
  void advise(Hazard.Advice advice) {
    if (hazards.size() < HazardReport.MAX_HAZARDS) {
      hazards.add(advice);
    }
  }

  /**
   * Looks at a touch of the entry.
   *
   * @param named the path that the call has named it by, which need not be true
   */
  void look(Touch touch, byte[] named) {
    Iterator<Touch> earlier = window.newestFirst(touch.node());
    NamedPath path = new NamedPath(named, touch.node());
    boolean isOthersWork = touch.what() == Touch.What.UNLINK || touch.what() == Touch.What.REPLACE;
    while (earlier.hasNext() && hazards.size() < HazardReport.MAX_HAZARDS) {
      Touch other = earlier.next();
      if (other.author().isSame(author)) {
        isOthersWork = false; // whatever is older, the author has gone on from it
        continue;
      }
      boolean isDestroyed = isOthersWork && isDestroyed(touch, other, path);
      isOthersWork &= other.what() != Touch.What.CONTENT;
      HazardKind kind = kind(touch, other);
      boolean goesOn =
          (kind == null || tell(kind, touch, other, path))
              && (!isDestroyed || tell(HazardKind.DESTROYED_WORK, touch, other, path))
              && (isDestroyed
                  || !isStale(touch, other)
                  || tell(HazardKind.STALE_OVERWRITE, touch, other, path));
      if (!goesOn) {
        return;
      }
    }
  }

  /**
   * Adds a hazard, unless there is one of this kind with this author; false if nobody wants any.
   */
  private boolean tell(HazardKind kind, Touch touch, Touch other, NamedPath path) {
    if (hazards.size() >= HazardReport.MAX_HAZARDS
        || !told.add(new Told(kind, touch.node(), other.author()))) {
      return true;
    }
    if (path.isExempt()) {
      return false;
    }
    hazards.add(
        new Hazard.Overlap(kind, other.index(), other.author(), touch.node(), path.verified()));
    return true;
  }

  private @Nullable HazardKind kind(Touch touch, Touch other) {
    return switch (touch.what()) {
      case CONTENT ->
          switch (other.what()) {
            case CONTENT ->
                touch.overlaps(other) && !touch.isSameWrite(other)
                    ? HazardKind.OVERLAPPING_WRITE
                    : null;
            case RENAME -> HazardKind.CONCURRENT_RENAME;
            case UNLINK, REPLACE -> isNameless(touch.node()) ? HazardKind.WRITE_AFTER_UNLINK : null;
          };
      case RENAME, REPLACE ->
          switch (other.what()) {
            case CONTENT, RENAME -> HazardKind.CONCURRENT_RENAME;
            case UNLINK, REPLACE -> null;
          };
      case UNLINK -> null; // whoever removes a file means the file
    };
  }

  /** Whether the other one has written what the author has not read, and that is overwritten. */
  private boolean isStale(Touch touch, Touch other) {
    if (other.what() != Touch.What.CONTENT || !isUnseen(other)) {
      return false;
    }
    return touch.what() == Touch.What.CONTENT
        ? touch.overwrites(other)
        : touch.what() == Touch.What.REPLACE;
  }

  private boolean isUnseen(Touch other) {
    return seen != CallContext.NOT_KNOWN && seen < other.index();
  }

  /**
   * Whether bytes that the other one has written are lost: the file loses its last name, and its
   * repository has recorded no work since. Who puts another file in its place may have made that of
   * it, unless it has not read it.
   */
  private boolean isDestroyed(Touch touch, Touch other, NamedPath path) {
    if (other.what() != Touch.What.CONTENT
        || (touch.what() == Touch.What.REPLACE && !isUnseen(other))) {
      return false;
    }
    Node node = before.node(touch.node());
    if (node == null || node.attributes().nlink() != 1 || path.verified().length == 0) {
      return false;
    }
    NodeId repository = Repositories.around(path.verified(), before);
    return repository != null && !window.hasRecorded(repository, other.index());
  }

  private boolean isNameless(NodeId id) {
    Node node = before.node(id);
    return node != null && node.isOrphan();
  }

  /** The path of a touched node, verified when it is needed. */
  private final class NamedPath {
    private final byte[] named;
    private final NodeId node;
    private byte @Nullable [] verified;

    NamedPath(byte[] named, NodeId node) {
      this.named = named;
      this.node = node;
    }

    byte[] verified() {
      byte[] known = verified;
      if (known == null) {
        known = CheckedPath.verified(named, node, before);
        verified = known;
      }
      return known;
    }

    boolean isExempt() {
      return CheckedPath.isExempt(verified());
    }
  }
}
