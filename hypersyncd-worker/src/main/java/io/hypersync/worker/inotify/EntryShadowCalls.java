package io.hypersync.worker.inotify;

import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.op.RenameMode;
import io.hypersync.model.state.DirEntry;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.NodeContent;
import io.hypersync.model.trie.MerkleTrie;
import io.hypersync.model.trie.RootVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds the shadow calls that report one entry to local watches. */
final class EntryShadowCalls {
  private static final int MOVED = WatchMask.MOVED_FROM | WatchMask.MOVED_TO;

  private final VisibleEntry entry;
  private final Map<NodeId, Integer> masks;
  private final ChildNames names;
  private final List<ShadowCall> calls = new ArrayList<>(2);

  private EntryShadowCalls(VisibleEntry entry, Map<NodeId, Integer> masks, ChildNames names) {
    this.entry = entry;
    this.masks = masks;
    this.names = names;
  }

  /**
   * The shadow calls for an entry; empty if no watch wants its events.
   *
   * @param masks the watch mask of each watched node
   * @param names the names in the watched directories, as before the entry
   */
  static List<ShadowCall> of(VisibleEntry entry, Map<NodeId, Integer> masks, ChildNames names) {
    EntryShadowCalls found = new EntryShadowCalls(entry, masks, names);
    found.plan();
    return found.calls;
  }

  /** The node whose content or attributes an op changes, or null. */
  static @Nullable NodeId touched(FsOp op) {
    return switch (op) {
      case FsOp.Write write -> write.node();
      case FsOp.Truncate truncate -> truncate.node();
      case FsOp.Allocate allocate -> allocate.node();
      case FsOp.CopyRange copy -> copy.target();
      case FsOp.SetAttributes set -> set.node();
      case FsOp.SetXattr set -> set.node();
      case FsOp.RemoveXattr remove -> remove.node();
      case FsOp.CreateFile _,
          FsOp.MakeDir _,
          FsOp.MakeSymlink _,
          FsOp.MakeNode _,
          FsOp.Link _,
          FsOp.LinkTemporary _,
          FsOp.MakeTemporary _,
          FsOp.Unlink _,
          FsOp.RemoveDir _,
          FsOp.Rename _,
          FsOp.ReapOrphans _,
          FsOp.RestoreState _ ->
          null;
    };
  }

  /** The event mask of an op that changes content or attributes: MODIFY or ATTRIB. */
  static int touchedMask(FsOp op) {
    boolean attributes =
        op instanceof FsOp.SetAttributes
            || op instanceof FsOp.SetXattr
            || op instanceof FsOp.RemoveXattr;
    return attributes ? WatchMask.ATTRIB : WatchMask.MODIFY;
  }

  private void plan() {
    FsOp op = entry.op();
    if (op == null) {
      masks.keySet().forEach(this::replaced);
    } else {
      plan(op);
    }
  }

  private void plan(FsOp op) {
    switch (op) {
      case FsOp.CreateFile create -> made(create.parent(), create.name());
      case FsOp.MakeDir make -> made(make.parent(), make.name());
      case FsOp.MakeSymlink make -> made(make.parent(), make.name());
      case FsOp.MakeNode make -> made(make.parent(), make.name());
      case FsOp.Link link -> made(link.newParent(), link.newName());
      case FsOp.LinkTemporary link -> made(link.newParent(), link.newName());
      case FsOp.Unlink unlink -> removed(unlink.parent(), unlink.name());
      case FsOp.RemoveDir remove -> removed(remove.parent(), remove.name());
      case FsOp.Rename rename -> renamed(rename);
      case FsOp.Write _,
          FsOp.Truncate _,
          FsOp.Allocate _,
          FsOp.CopyRange _,
          FsOp.SetAttributes _,
          FsOp.SetXattr _,
          FsOp.RemoveXattr _ ->
          touch(op);
      case FsOp.MakeTemporary _, FsOp.ReapOrphans _ -> {
        // Neither a name nor a node that anybody can watch.
      }
      case FsOp.RestoreState _ -> masks.keySet().forEach(this::replaced);
    }
  }

  /** What is different in and of a watched node, now that another state is visible. */
  private void replaced(NodeId watched) {
    Node was = entry.before().node(watched);
    Node is = entry.after().node(watched);
    if (was == null) {
      return;
    }
    MerkleTrie<DirEntry> old = names(was);
    MerkleTrie<DirEntry> now = is == null ? MerkleTrie.empty() : names(is);
    for (DirEntry name : old) {
      DirEntry stays = now.get(name.key());
      if (stays == null || !stays.node().equals(name.node())) {
        removed(watched, name.name());
      }
    }
    for (DirEntry name : now) {
      DirEntry before = old.get(name.key());
      if (before != null && before.node().equals(name.node())) {
        changed(name.node(), watched, place(watched, name.name()));
      } else {
        made(watched, name.name());
      }
    }
    if ((is == null || is.isOrphan()) && !isWantedByName(watched, WatchMask.DELETE)) {
      calls.add(new ShadowCall.Remove(NameInDirectory.outOfNowhere(), lost(was)));
    } else {
      changed(watched, watched, null);
    }
  }

  /** Reports a change of content or attributes, by a name in a watched directory if it has one. */
  private void changed(NodeId node, NodeId watched, @Nullable NameInDirectory place) {
    Node was = entry.before().node(node);
    Node is = entry.after().node(node);
    if (was == null || is == null || isDirectory(is)) {
      return;
    }
    RootVersion version = entry.after().version();
    boolean content = !was.content().root(version).equals(is.content().root(version));
    boolean attributes = !was.attributes().equals(is.attributes());
    int mask = content ? WatchMask.MODIFY : WatchMask.ATTRIB;
    boolean isReported = place == null && isWantedByName(node, mask);
    if ((content || attributes) && isWanted(watched, mask) && !isReported) {
      calls.add(new ShadowCall.Touch(place, is, content));
    }
  }

  private boolean isWantedByName(NodeId node, int mask) {
    return names.of(node).stream().anyMatch(name -> isWanted(name.parent(), mask));
  }

  private static MerkleTrie<DirEntry> names(Node node) {
    return node.content() instanceof NodeContent.Directory(_, MerkleTrie<DirEntry> entries)
        ? entries
        : MerkleTrie.empty();
  }

  private void made(NodeId parent, Name name) {
    Node now = lookup(entry.after(), parent, name);
    if (now != null && isWanted(parent, WatchMask.CREATE)) {
      calls.add(new ShadowCall.Make(place(parent, name), isDirectory(now)));
    }
  }

  private void removed(NodeId parent, Name name) {
    Node node = lookup(entry.before(), parent, name);
    if (node == null) {
      return;
    }
    boolean inDirectory = isWanted(parent, WatchMask.DELETE);
    ShadowTarget subject = lost(node);
    if (inDirectory || subject.real() != null) {
      NameInDirectory place = inDirectory ? place(parent, name) : NameInDirectory.outOfNowhere();
      calls.add(new ShadowCall.Remove(place, subject));
    }
  }

  private void renamed(FsOp.Rename op) {
    Node node = lookup(entry.before(), op.parent(), op.name());
    Node other = lookup(entry.before(), op.newParent(), op.newName());
    if (node == null || (other != null && other.id().equals(node.id()))) {
      return;
    }
    boolean exchange = op.mode() == RenameMode.EXCHANGE && other != null;
    boolean from = isWanted(op.parent(), exchange ? MOVED : WatchMask.MOVED_FROM);
    boolean to = isWanted(op.newParent(), exchange ? MOVED : WatchMask.MOVED_TO);
    ShadowTarget moved = moved(node, from && to);
    ShadowTarget displaced = null;
    if (exchange) {
      displaced = moved(other, from && to);
    } else if (other != null && lost(other).real() != null) {
      displaced = lost(other);
    }
    boolean self = moved.real() != null || (displaced != null && displaced.real() != null);
    if (from || to || self) {
      NameInDirectory old = from ? place(op.parent(), op.name()) : NameInDirectory.outOfNowhere();
      NameInDirectory now =
          to ? place(op.newParent(), op.newName()) : NameInDirectory.intoNowhere();
      calls.add(new ShadowCall.Move(old, moved, now, displaced, exchange));
    }
  }

  private void touch(FsOp op) {
    NodeId id = touched(op);
    Node node = id == null ? null : entry.after().node(id);
    if (id == null || node == null) {
      return;
    }
    int mask = touchedMask(op);
    boolean content = mask == WatchMask.MODIFY;
    boolean byName = false;
    for (ChildNames.NameOf name : names.of(id)) {
      if (isWanted(name.parent(), mask)) {
        calls.add(new ShadowCall.Touch(place(name.parent(), name.name()), node, content));
        byName = true;
      }
    }
    if (!byName && isWanted(id, mask)) {
      calls.add(new ShadowCall.Touch(null, node, content));
    }
  }

  /**
   * The node itself if it is watched, for any event, and has lost its last name: its watch ends
   * then, which the watcher is told by IN_DELETE_SELF. Else a stand-in.
   */
  private ShadowTarget lost(Node node) {
    Node now = entry.after().node(node.id());
    boolean real = masks.containsKey(node.id()) && (now == null || now.isOrphan());
    return new ShadowTarget(isDirectory(node), real ? node : null);
  }

  /**
   * The node itself if it is watched, else a stand-in. A directory only if both names are in
   * watched directories: the kernel keeps a single dentry for a directory, and that one must not
   * end up in the hidden directory.
   */
  private ShadowTarget moved(Node node, boolean inSight) {
    boolean real = isWanted(node.id(), WatchMask.MOVE_SELF) && (inSight || !isDirectory(node));
    return new ShadowTarget(isDirectory(node), real ? node : null);
  }

  private boolean isWanted(NodeId node, int mask) {
    return (masks.getOrDefault(node, 0) & mask) != 0;
  }

  private NameInDirectory place(NodeId parent, Name name) {
    Node directory = entry.before().node(parent);
    if (directory == null) {
      throw new IllegalStateException("an entry in a directory that is not there: " + parent);
    }
    return new NameInDirectory(directory.inode(), name);
  }

  private static boolean isDirectory(Node node) {
    return node.type() == NodeType.DIRECTORY;
  }

  private static @Nullable Node lookup(FsState state, NodeId parent, Name name) {
    Node directory = state.node(parent);
    return directory == null ? null : state.lookup(directory, name);
  }
}
