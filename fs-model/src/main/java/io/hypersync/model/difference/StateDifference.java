package io.hypersync.model.difference;

import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.state.DirEntry;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.NodeContent.Directory;
import io.hypersync.model.trie.MerkleTrie;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Compares two states of a workspace. What is equal is passed over by its hash. The nodes that
 * differ are looked at in parts of bounded size, so the memory that this takes does not depend on
 * how many there are, except that of the directories above them ({@link Limits#heap}).
 *
 * <p>The time is that of what differs, and one pass over all names of the second state if a file
 * differs whose name does not: nothing but its directory knows where a file is. Not thread-safe.
 */
public final class StateDifference {
  /** Nodes and names that are looked at together. */
  private static final int WINDOW = 50_000;

  /** So many nodes are compared between two calls of {@link Limits#step}. */
  private static final int STEP_EVERY = 4_096;

  /** All paths of one result together, in chars. */
  private static final int MAX_CHARS = 4 << 20;

  /** About what a node or a name in a window takes on the heap, with what is found of it. */
  private static final long HEAP_PER_NODE = 400;

  /** About what a change takes on the heap, besides its paths, until it is written out. */
  private static final long HEAP_PER_CHANGE = 1_000;

  private static final Comparator<Change> BY_PATH =
      Comparator.comparing(Change::path).thenComparing(Change::kind);

  private final FsState from;
  private final FsState to;
  private final int window;
  private final Limits limits;
  private final NodeDifference nodes;
  private @Nullable NodeId topFrom;
  private @Nullable NodeId topTo;
  private final List<Change> changes = new ArrayList<>();
  private long differing;
  private int chars;

  /** What a comparison may take. */
  public interface Limits {
    /** No limits. */
    Limits NONE =
        new Limits() {
          @Override
          public void step() {}

          @Override
          public void heap(long bytes) {}
        };

    /** Called now and then; what it throws ends the comparison. */
    void step();

    /**
     * Called before memory is taken; what it throws ends the comparison.
     *
     * @param bytes an estimate; negative when memory is given back
     */
    void heap(long bytes);
  }

  /**
   * What was found.
   *
   * @param changes in the order of their paths
   * @param isComplete whether these are all changes that were asked for
   * @param differingNodes how many nodes differ in the whole workspace; directories count, too, if
   *     only their entries differ
   */
  public record Result(List<Change> changes, boolean isComplete, long differingNodes) {}

  private StateDifference(FsState from, FsState to, int window, Limits limits) {
    if (from.version() != to.version()) {
      throw new IllegalArgumentException("states with roots of different versions");
    }
    this.from = from;
    this.to = to;
    this.window = window;
    this.limits = limits;
    this.nodes = new NodeDifference(from, to);
  }

  /**
   * Whether a path exists in a state.
   *
   * @param path the names from the root on
   */
  public static boolean has(FsState state, List<Name> path) {
    return find(state, path) != null;
  }

  /**
   * Compares two states.
   *
   * @param path the names that lead from the root to what is compared: changes elsewhere are left
   *     out. A node that was moved out or in is not left out
   * @param maxChanges how many are listed; those behind are left out, and the result says so
   */
  public static Result of(
      FsState from, FsState to, List<Name> path, int maxChanges, Limits limits) {
    return of(from, to, path, maxChanges, limits, WINDOW);
  }

  static Result of(
      FsState from, FsState to, List<Name> path, int maxChanges, Limits limits, int window) {
    StateDifference difference = new StateDifference(from, to, window, limits);
    return difference.run(path, maxChanges);
  }

  private Result run(List<Name> path, int maxChanges) {
    topFrom = find(from, path);
    topTo = find(to, path);
    boolean isWhole = path.isEmpty();
    @Nullable NodeId after = null;
    boolean isComplete = true;
    long heap = HEAP_PER_NODE * window;
    limits.heap(heap);
    while (isComplete) {
      limits.step();
      Window part = collect(after);
      if (part.nodes().isEmpty()) {
        break;
      }
      isComplete = list(part, isWhole, maxChanges);
      if (!part.isCut()) {
        break;
      }
      after = part.last();
    }
    limits.heap(-heap);
    changes.sort(BY_PATH);
    return new Result(List.copyOf(changes), isComplete, differing);
  }

  private static @Nullable NodeId find(FsState state, List<Name> path) {
    Node node = state.node(FsState.ROOT);
    for (Name name : path) {
      node = node == null ? null : state.lookup(node, name);
    }
    return node == null ? null : node.id();
  }

  private Window collect(@Nullable NodeId after) {
    Window part = new Window(after, window);
    differing = 0;
    MerkleTrie.compare(
        from.nodes(),
        to.nodes(),
        to.version(),
        (a, b) -> {
          if (NodeDifference.isNamed(a) || NodeDifference.isNamed(b)) {
            differing++;
            if (differing % STEP_EVERY == 0) {
              limits.step();
            }
            NodeId id = b == null ? idOf(a) : b.id();
            part.add(id);
            names(id, entries(a), entries(b), part);
          }
        });
    return part;
  }

  private static NodeId idOf(@Nullable Node node) {
    if (node == null) {
      throw new IllegalStateException("a difference of nothing");
    }
    return node.id();
  }

  private static MerkleTrie<DirEntry> entries(@Nullable Node node) {
    return node != null && node.content() instanceof Directory(_, var entries)
        ? entries
        : MerkleTrie.empty();
  }

  private void names(
      NodeId directory, MerkleTrie<DirEntry> before, MerkleTrie<DirEntry> after, Window part) {
    MerkleTrie.compare(
        before,
        after,
        to.version(),
        (a, b) -> {
          if (a != null) {
            part.gone(a.node(), NameChanges.changed(directory, a, b));
          }
          if (b != null) {
            part.come(b.node(), NameChanges.changed(directory, b, a));
          }
        });
  }

  /** Adds the changes of a part; false if not all fit. */
  private boolean list(Window part, boolean isWhole, int maxChanges) {
    List<Draft> drafts = new ArrayList<>();
    part.nodes().forEach((id, names) -> drafts.addAll(nodes.of(from.node(id), to.node(id), names)));
    limits.step();
    Places old = places(from, drafts, true);
    Places now = places(to, drafts, false);
    PriorityQueue<Change> first = new PriorityQueue<>(BY_PATH.reversed());
    boolean isComplete = true;
    for (Draft draft : drafts) {
      Location place = draft.to();
      if (draft.isUnplaced()) {
        place = now.of(draft.node().id());
      }
      if (isWhole || isWanted(draft, place, old, now)) {
        Change change = change(draft, place, old, now);
        first.add(change);
        count(change, 1);
      }
      while (changes.size() + first.size() > maxChanges || chars > MAX_CHARS) {
        count(first.remove(), -1);
        isComplete = false;
      }
    }
    changes.addAll(first);
    old.close();
    now.close();
    return isComplete;
  }

  /** Adds a change to what the result takes, or takes it away. */
  private void count(Change change, int sign) {
    String oldPath = change.oldPath();
    int paths = change.path().length() + (oldPath == null ? 0 : oldPath.length());
    chars += sign * paths;
    limits.heap(sign * (HEAP_PER_CHANGE + 4L * paths));
  }

  private Places places(FsState state, List<Draft> drafts, boolean isFirst) {
    Set<NodeId> files = new HashSet<>();
    Set<NodeId> directories = new HashSet<>();
    for (Draft draft : drafts) {
      Location place = isFirst ? draft.from() : draft.to();
      if (place != null) {
        directories.add(place.parent());
      } else if (draft.isUnplaced() && !isFirst) {
        Set<NodeId> wanted = draft.node().type() == NodeType.DIRECTORY ? directories : files;
        wanted.add(draft.node().id());
      }
    }
    return new Places(state, files, directories, isFirst ? topFrom : topTo, limits);
  }

  /**
   * Whether a change is of what is at or below the path. The name of a node that has changed in
   * place is the same in both states, but its directory may have moved.
   */
  private boolean isWanted(Draft draft, @Nullable Location place, Places old, Places now) {
    NodeId id = draft.node().id();
    if (id.equals(topFrom) || id.equals(topTo)) {
      return true;
    }
    Location before = draft.isUnplaced() ? place : draft.from();
    return (before != null && old.isAtOrBelow(before.parent(), topFrom))
        || (place != null && now.isAtOrBelow(place.parent(), topTo));
  }

  private static Change change(Draft draft, @Nullable Location place, Places old, Places now) {
    Node node = draft.node();
    Node before = draft.before();
    Node after = draft.after();
    boolean isGone = draft.kind() == ChangeKind.REMOVED || draft.kind() == ChangeKind.UNLINKED;
    String oldPath = draft.from() == null ? null : old.path(draft.from());
    String newPath = place == null ? "." : now.path(place);
    return new Change(
        draft.kind(),
        isGone && oldPath != null ? oldPath : newPath,
        draft.kind() == ChangeKind.MOVED ? oldPath : null,
        node.type(),
        node.inode().value(),
        draft.aspects(),
        before == null ? 0 : before.attributes().size(),
        after == null || (isGone && after.isOrphan()) ? 0 : after.attributes().size());
  }
}
