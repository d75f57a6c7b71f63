package io.hypersync.model.difference;

import io.hypersync.model.id.NodeId;
import io.hypersync.model.state.DirEntry;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The names that a node has in one of two states only. */
final class NameChanges {
  /**
   * A name.
   *
   * @param other the node that the same name leads to in the other state; null if there is none
   */
  record Changed(Location at, @Nullable NodeId other) {}

  private final List<Changed> gone = new ArrayList<>(1);
  private final List<Changed> come = new ArrayList<>(1);

  /** The names in the first state only. */
  List<Changed> gone() {
    return gone;
  }

  /** The names in the second state only. */
  List<Changed> come() {
    return come;
  }

  int count() {
    return gone.size() + come.size();
  }

  static Changed changed(NodeId parent, DirEntry entry, @Nullable DirEntry other) {
    return new Changed(new Location(parent, entry.name()), other == null ? null : other.node());
  }
}
