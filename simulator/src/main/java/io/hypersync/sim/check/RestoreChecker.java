package io.hypersync.sim.check;

import io.hypersync.leader.restore.RestoreBatches;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.state.DirEntry;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.NodeAttributes;
import io.hypersync.model.state.NodeContent.Directory;
import io.hypersync.model.trie.MerkleTrie;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Compares what restores do with the log: if nobody else has written meanwhile, the path is what it
 * was, and nothing was left. If somebody has, nothing of that is overwritten or removed.
 */
public final class RestoreChecker {
  private final LogChecker log;

  /** What was to be seen at a restore. */
  public enum Seen {
    /** Nobody else has written meanwhile. */
    ALONE,
    /** Somebody has, and nothing was left for that. */
    BESIDE,
    /** Somebody has changed what the restore was to change, and it has left that alone. */
    YIELDED
  }

  /** A checker by the log. */
  public RestoreChecker(LogChecker log) {
    this.log = log;
  }

  /** A state of the past was read. */
  public void read(long index, Hash root) {
    Violation.unless(
        root.equals(log.root(index)), "the state of entry ", index, " is read as another one");
  }

  /**
   * A restore has ended, and its entries are durable.
   *
   * @param planned the newest entry when it was planned
   * @param last the newest entry when its last step was done, or not
   * @param index the entry whose state was to come back
   */
  public Seen restored(
      long planned, long last, long index, List<Name> path, RestoreBatches batches) {
    return restored(planned, last, log.state(index), path, batches);
  }

  /**
   * The same for any state.
   *
   * @param then the state that was to come back
   */
  public Seen restored(
      long planned, long last, FsState then, List<Name> path, RestoreBatches batches) {
    Others others = new Others(log.state(planned), then);
    Set<NodeId> kept = kept(then, log.state(planned), path);
    boolean isAlone = true;
    for (long k = planned + 1; k <= last; k++) {
      LogEntry entry = log.entry(k);
      boolean isOwn = entry.agent().isEmpty(); // as what the leader reaps
      isAlone &= isOwn;
      look(entry, log.state(k - 1), log.state(k), isOwn, others, kept);
    }
    long yielded =
        batches.left().stream()
            .filter(left -> left.reason() == RestoreBatches.Reason.CHANGED_MEANWHILE)
            .count();
    if (!isAlone) {
      return yielded > 0 ? Seen.YIELDED : Seen.BESIDE;
    }
    Violation.unless(yielded == 0, "a restore yields, and nobody writes: ", batches.left());
    if (batches.leftCount() == 0) {
      Map<String, String> wanted = tree(then, path);
      Map<String, String> now = tree(log.state(last), path);
      Violation.unless(
          now.equals(wanted),
          path,
          " was restored by entry ",
          last,
          ", and is ",
          now,
          " instead of ",
          wanted);
      kept.removeAll(files(log.state(last), path));
      Violation.unless(kept.isEmpty(), path, ": were there and have other inodes now: ", kept);
    }
    return Seen.ALONE;
  }

  /**
   * An entry has restored everything, and is durable. The state behind it has all nodes with a name
   * of the earlier one, as they were, and of the state before it only what was open or had no name.
   *
   * @param entry the one that restores
   * @param index the last entry of the state that came back
   */
  public void restoredAll(long entry, long index) {
    FsState then = log.state(index);
    FsState before = log.state(entry - 1);
    FsState now = log.state(entry);
    MerkleTrie.compare(
        then.nodes(),
        now.nodes(),
        now.version(),
        (a, b) ->
            Violation.unless(
                (a == null || a.isOrphan()) && (b == null || b.isOrphan()),
                "entry ",
                entry,
                " restores entry ",
                index,
                ", and there is ",
                b,
                " instead of ",
                a));
    Set<NodeId> kept = orphans(now);
    Set<NodeId> wanted = orphans(before);
    for (NodeId node : kept) {
      Violation.unless(
          !wanted.contains(node) || Objects.equals(before.node(node), now.node(node)),
          "entry ",
          entry,
          " changes ",
          node,
          ", which had no name");
    }
    if (log.entry(entry).op() instanceof FsOp.RestoreState(byte[] _, var open, _)) {
      open.stream().filter(node -> before.node(node) != null).forEach(wanted::add);
    }
    wanted.removeIf(node -> then.hasNamed(node));
    Violation.unless(
        kept.equals(wanted), "entry ", entry, " keeps ", kept, " and should keep ", wanted);
  }

  private static Set<NodeId> orphans(FsState state) {
    Set<NodeId> orphans = new HashSet<>();
    state.orphans().forEach(orphan -> orphans.add(orphan.node()));
    return orphans;
  }

  /** The files that keep their inode: they are below the path in both states. */
  private static Set<NodeId> kept(FsState then, FsState planned, List<Name> path) {
    Set<NodeId> kept = files(then, path);
    kept.retainAll(files(planned, path));
    for (FsState state : List.of(then, planned)) {
      Node top = find(state, path); // which may have been below itself
      if (top != null) {
        kept.remove(top.id());
      }
    }
    return kept;
  }

  private record Place(NodeId parent, Name name) {}

  /** A directory that was moved with all that is in it, by an entry. */
  private record Moved(NodeId directory, long entry) {}

  /** What others have changed or moved since a restore was planned, and the last entry of that. */
  private record Others(
      FsState planned, FsState wanted, Map<NodeId, Long> changed, Map<NodeId, Moved> moved) {
    Others(FsState planned, FsState wanted) {
      this(planned, wanted, new HashMap<>(), new HashMap<>());
    }

    /**
     * Whether a file is theirs. Not if a directory that it was moved with, or one in between, is
     * where the plan has it or wants it.
     */
    boolean have(NodeId file, FsState now) {
      if (changed.containsKey(file)) {
        return true;
      }
      Moved with = moved.get(file);
      if (with == null) {
        return false;
      }
      Map<NodeId, String> paths = paths(now);
      Map<String, NodeId> directories = new HashMap<>();
      paths.forEach((id, path) -> directories.put(path, id));
      String directory = directory(paths.getOrDefault(file, ""));
      if (directory.isEmpty()) {
        return false;
      }
      while (!directory.isEmpty()) {
        NodeId id = directories.get(directory);
        if (id == null
            || directory.equals(paths(planned).get(id))
            || directory.equals(paths(wanted).get(id))) {
          return false;
        }
        if (id.equals(with.directory)) {
          return true;
        }
        directory = directory(directory);
      }
      return true;
    }

    private static String directory(String path) {
      return path.substring(0, Math.max(0, path.lastIndexOf('/')));
    }

    long since(NodeId file) {
      Moved with = moved.get(file);
      return changed.getOrDefault(file, with == null ? 0 : with.entry);
    }

    private static Map<NodeId, String> paths(FsState state) {
      Map<NodeId, String> paths = new HashMap<>();
      collect(state, state.node(FsState.ROOT), "", paths, new TreeMap<>());
      return paths;
    }
  }

  private static Set<NodeId> files(FsState state, List<Name> path) {
    Set<NodeId> files = new HashSet<>();
    Map<NodeId, String> names = new HashMap<>();
    collect(state, find(state, path), "", names, new TreeMap<>());
    for (NodeId id : names.keySet()) {
      Node node = state.node(id);
      if (node != null && node.type() != NodeType.DIRECTORY) {
        files.add(id);
      }
    }
    return files;
  }

  private static @Nullable Node find(FsState state, List<Name> path) {
    Node node = state.node(FsState.ROOT);
    for (Name name : path) {
      node = node == null ? null : state.lookup(node, name);
    }
    return node;
  }

  private static void look(
      LogEntry entry,
      FsState before,
      FsState after,
      boolean isOwn,
      Others others,
      Set<NodeId> kept) {
    if (entry.op() instanceof FsOp.ReapOrphans || before.root().equals(after.root())) {
      return; // such as a rename of a name to itself, which moves nothing
    }
    if (!isOwn && entry.op() instanceof FsOp.Rename rename) {
      below(entry, after, new Place(rename.newParent(), rename.newName()), others.moved);
      below(entry, after, new Place(rename.parent(), rename.name()), others.moved);
    }
    MerkleTrie.compare(
        before.nodes(),
        after.nodes(),
        after.version(),
        (a, b) -> {
          if (b == null || b.type() == NodeType.DIRECTORY) {
            return;
          }
          boolean isChanged = a == null || !substance(a, before).equals(substance(b, after));
          if (!isOwn && isChanged) {
            others.changed.put(b.id(), entry.index());
          }
          boolean isLost = a != null && !a.isOrphan() && b.isOrphan();
          if (isOwn && isLost && kept.contains(b.id())) {
            throw new Violation(
                "entry "
                    + entry.index()
                    + " of a restore takes the last name of a file that was there then: "
                    + entry.op());
          }
          if (isOwn && (isChanged || isLost) && others.have(b.id(), before)) {
            throw new Violation(
                "entry "
                    + entry.index()
                    + " of a restore changes what others have since entry "
                    + others.since(b.id())
                    + ": "
                    + entry.op());
          }
        });
  }

  /**
   * Collects what others have moved with a directory: it is theirs. Not what has a name elsewhere,
   * where it may be restored.
   */
  private static void below(LogEntry entry, FsState state, Place place, Map<NodeId, Moved> moved) {
    Node directory = state.node(place.parent);
    Node top = directory == null ? null : state.lookup(directory, place.name);
    if (top == null || top.type() != NodeType.DIRECTORY) {
      return;
    }
    Map<NodeId, String> all = new HashMap<>();
    collect(state, top, "", all, new TreeMap<>());
    for (NodeId id : all.keySet()) {
      Node node = state.node(id);
      if (node != null && node.type() != NodeType.DIRECTORY && node.attributes().nlink() == 1) {
        moved.put(id, new Moved(top.id(), entry.index()));
      }
    }
  }

  private static Map<String, String> tree(FsState state, List<Name> path) {
    Map<String, String> tree = new TreeMap<>();
    collect(state, find(state, path), "", new HashMap<>(), tree);
    return tree;
  }

  private static void collect(
      FsState state,
      @Nullable Node node,
      String path,
      Map<NodeId, String> first,
      Map<String, String> tree) {
    if (node == null) {
      return;
    }
    String same = first.computeIfAbsent(node.id(), _ -> path);
    tree.put(path, same + " " + substance(node, state));
    if (node.content() instanceof Directory(_, var entries)) {
      for (DirEntry entry : entries) {
        collect(state, state.node(entry.node()), path + "/" + entry.name(), first, tree);
      }
    }
  }

  private static String substance(Node node, FsState state) {
    NodeAttributes a = node.attributes();
    String content =
        node.type() == NodeType.DIRECTORY ? "" : node.content().root(state.version()).toString();
    return node.type()
        + " "
        + a.mode()
        + " "
        + a.uid()
        + ":"
        + a.gid()
        + " "
        + a.size()
        + " "
        + a.mtimeNs()
        + " "
        + a.rdev()
        + " "
        + content
        + " "
        + node.xattrs().root(state.version());
  }
}
