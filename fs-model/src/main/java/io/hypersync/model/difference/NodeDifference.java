package io.hypersync.model.difference;

import io.hypersync.model.op.NodeType;
import io.hypersync.model.state.FileContent;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.NodeAttributes;
import io.hypersync.model.state.NodeContent;
import io.hypersync.model.trie.RootVersion;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What differs of one node and its names between two states. */
final class NodeDifference {
  private final FsState from;
  private final FsState to;
  private final RootVersion version;

  NodeDifference(FsState from, FsState to) {
    this.from = from;
    this.to = to;
    this.version = to.version();
  }

  static boolean isNamed(@Nullable Node node) {
    return node != null && !node.isOrphan();
  }

  /** The changes of a node. Directories that differ in their entries only give none. */
  List<Draft> of(@Nullable Node before, @Nullable Node after, NameChanges names) {
    List<Draft> drafts = new ArrayList<>();
    if (!isNamed(before)) {
      if (after != null && isNamed(after)) {
        added(before, after, names, drafts);
      }
    } else if (after == null || !isNamed(after)) {
      removed(before, after, names, drafts);
    } else if (before != null) {
      both(before, after, names, drafts);
    }
    return drafts;
  }

  private void added(@Nullable Node before, Node after, NameChanges names, List<Draft> drafts) {
    boolean isFirst = true;
    for (NameChanges.Changed name : names.come()) {
      Node replaced = name.other() == null ? null : from.node(name.other());
      if (replaced != null && isReplacement(replaced, after)) {
        Set<Aspect> aspects = aspects(replaced, after);
        aspects.remove(Aspect.MTIME);
        aspects.add(Aspect.REPLACED);
        drafts.add(new Draft(ChangeKind.CHANGED, replaced, after, name.at(), name.at(), aspects));
      } else {
        ChangeKind kind = isFirst ? ChangeKind.ADDED : ChangeKind.LINKED;
        drafts.add(new Draft(kind, before, after, null, name.at(), Set.of()));
      }
      isFirst = false;
    }
  }

  private void removed(
      @Nullable Node before, @Nullable Node after, NameChanges names, List<Draft> drafts) {
    boolean isFirst = true;
    for (NameChanges.Changed name : names.gone()) {
      Node other = name.other() == null ? null : to.node(name.other());
      if (before == null || other == null || !isReplacement(before, other)) {
        ChangeKind kind = isFirst ? ChangeKind.REMOVED : ChangeKind.UNLINKED;
        drafts.add(new Draft(kind, before, after, name.at(), null, Set.of()));
      }
      isFirst = false;
    }
  }

  private void both(Node before, Node after, NameChanges names, List<Draft> drafts) {
    Set<Aspect> aspects = aspects(before, after);
    int moved = Math.min(names.gone().size(), names.come().size());
    for (int i = 0; i < moved; i++) {
      drafts.add(
          new Draft(
              ChangeKind.MOVED,
              before,
              after,
              names.gone().get(i).at(),
              names.come().get(i).at(),
              aspects));
    }
    if (moved == 0 && !aspects.isEmpty()) {
      drafts.add(new Draft(ChangeKind.CHANGED, before, after, null, null, aspects));
    }
    for (NameChanges.Changed name : names.come().subList(moved, names.come().size())) {
      drafts.add(new Draft(ChangeKind.LINKED, before, after, null, name.at(), Set.of()));
    }
    for (NameChanges.Changed name : names.gone().subList(moved, names.gone().size())) {
      drafts.add(new Draft(ChangeKind.UNLINKED, before, after, name.at(), null, Set.of()));
    }
  }

  /**
   * Whether a name that led to {@code old} leads to {@code made} because that replaced it: the one
   * is gone, the other is new, and neither is a directory. Both are asked, so both must agree.
   */
  private boolean isReplacement(Node old, Node made) {
    return old.type() == made.type()
        && old.type() != NodeType.DIRECTORY
        && isNamed(old)
        && isNamed(made)
        && !isNamed(to.node(old.id()))
        && !isNamed(from.node(made.id()));
  }

  private Set<Aspect> aspects(Node before, Node after) {
    NodeAttributes a = before.attributes();
    NodeAttributes b = after.attributes();
    Set<Aspect> aspects = EnumSet.noneOf(Aspect.class);
    if (isOtherContent(before, after)) {
      aspects.add(Aspect.CONTENT);
    } else if (a.mtimeNs() != b.mtimeNs() && after.type() != NodeType.DIRECTORY) {
      aspects.add(Aspect.MTIME);
    }
    if (a.mode() != b.mode()) {
      aspects.add(Aspect.MODE);
    }
    if (a.uid() != b.uid() || a.gid() != b.gid()) {
      aspects.add(Aspect.OWNER);
    }
    if (!before.xattrs().root(version).equals(after.xattrs().root(version))) {
      aspects.add(Aspect.XATTRS);
    }
    return aspects;
  }

  private boolean isOtherContent(Node before, Node after) {
    return switch (after.content()) {
      case FileContent _ ->
          before.attributes().size() != after.attributes().size()
              || !before.content().root(version).equals(after.content().root(version));
      case NodeContent.Directory _ -> false;
      case NodeContent.Symlink(byte[] target) ->
          !(before.content() instanceof NodeContent.Symlink(byte[] old))
              || !Arrays.equals(old, target);
      case NodeContent.Special _ -> before.attributes().rdev() != after.attributes().rdev();
    };
  }
}
