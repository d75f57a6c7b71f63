package io.hypersync.model.history;

import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.op.RenameMode;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an op did to one name.
 *
 * @param before what the name led to; null if it did not exist
 * @param after what it leads to then
 */
public record NameChange(NamePlace place, @Nullable NodeId before, @Nullable NodeId after) {

  /**
   * What an op did to names: to two at most. A restore of everything changes any number of them,
   * and is not looked at here.
   *
   * @param created the node that the op has made; ignored if it makes none
   * @param before the state before the op, which was not refused
   */
  public static List<NameChange> of(FsOp op, NodeId created, FsState before) {
    return switch (op) {
      case FsOp.CreateFile make -> List.of(given(make.parent(), make.name(), created));
      case FsOp.MakeDir make -> List.of(given(make.parent(), make.name(), created));
      case FsOp.MakeSymlink make -> List.of(given(make.parent(), make.name(), created));
      case FsOp.MakeNode make -> List.of(given(make.parent(), make.name(), created));
      case FsOp.Link link -> List.of(given(link.newParent(), link.newName(), link.node()));
      case FsOp.LinkTemporary link -> List.of(given(link.newParent(), link.newName(), link.node()));
      case FsOp.Unlink unlink -> taken(unlink.parent(), unlink.name(), before);
      case FsOp.RemoveDir remove -> taken(remove.parent(), remove.name(), before);
      case FsOp.Rename rename -> renamed(rename, before);
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
          List.of();
    };
  }

  private static NameChange given(NodeId parent, Name name, NodeId node) {
    return new NameChange(new NamePlace(parent, name), null, node);
  }

  private static List<NameChange> taken(NodeId parent, Name name, FsState before) {
    NamePlace place = new NamePlace(parent, name);
    return List.of(new NameChange(place, at(place, before), null));
  }

  private static List<NameChange> renamed(FsOp.Rename rename, FsState before) {
    NamePlace from = new NamePlace(rename.parent(), rename.name());
    NamePlace to = new NamePlace(rename.newParent(), rename.newName());
    NodeId moved = at(from, before);
    NodeId there = at(to, before);
    if (moved == null || moved.equals(there)) {
      return List.of(); // two names of one file: nothing happens
    }
    boolean isExchange = rename.mode() == RenameMode.EXCHANGE;
    return List.of(
        new NameChange(from, moved, isExchange ? there : null), new NameChange(to, there, moved));
  }

  /** What a name leads to; null if it does not exist, or its directory does not. */
  public static @Nullable NodeId at(NamePlace place, FsState state) {
    Node directory = state.node(place.directory());
    Node node =
        directory == null || directory.type() != NodeType.DIRECTORY
            ? null
            : state.lookup(directory, place.name());
    return node == null ? null : node.id();
  }

  /**
   * The node whose content or attributes an op changes, but not its names; null if there is none.
   */
  public static @Nullable NodeId changed(FsOp op) {
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
          FsOp.MakeTemporary _,
          FsOp.Link _,
          FsOp.LinkTemporary _,
          FsOp.Unlink _,
          FsOp.RemoveDir _,
          FsOp.Rename _,
          FsOp.ReapOrphans _,
          FsOp.RestoreState _ ->
          null;
    };
  }
}
