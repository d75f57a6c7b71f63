package io.hypersync.worker.inotify;

import io.hypersync.model.state.Node;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A system call on the own mount that changes nothing but makes the kernel report an event. */
public sealed interface ShadowCall {
  /** The names that the kernel must look up for this call instead of using its cache. */
  List<NameInDirectory> places();

  /** mknod or mkdir; reports IN_CREATE. */
  record Make(NameInDirectory place, boolean directory) implements ShadowCall {
    @Override
    public List<NameInDirectory> places() {
      return List.of(place);
    }
  }

  /** unlink or rmdir; reports IN_DELETE, and IN_DELETE_SELF if the subject is a real node. */
  record Remove(NameInDirectory place, ShadowTarget subject) implements ShadowCall {
    @Override
    public List<NameInDirectory> places() {
      return List.of(place);
    }
  }

  /**
   * renameat2; reports IN_MOVED_FROM and IN_MOVED_TO with one cookie, and IN_MOVE_SELF of a real
   * subject.
   *
   * @param displaced what had the new name before; null unless it is an exchange or watched itself
   * @param exchange whether the two names are exchanged
   */
  record Move(
      NameInDirectory from,
      ShadowTarget moved,
      NameInDirectory to,
      @Nullable ShadowTarget displaced,
      boolean exchange)
      implements ShadowCall {
    @Override
    public List<NameInDirectory> places() {
      return List.of(from, to);
    }
  }

  /**
   * utimensat; reports IN_MODIFY or IN_ATTRIB of the node, and of the name if there is one.
   *
   * @param place the name to reach the node by, or null to reach it by its inode number
   * @param node the node as after the entry
   * @param content whether the content has changed; if not, the attributes have
   */
  record Touch(@Nullable NameInDirectory place, Node node, boolean content) implements ShadowCall {
    @Override
    public List<NameInDirectory> places() {
      return place == null ? List.of() : List.of(place);
    }

    /** Whether the kernel would report the same event as for the other call. */
    boolean repeats(Touch other) {
      return content == other.content
          && node.id().equals(other.node.id())
          && Objects.equals(place, other.place);
    }
  }

  /** stat; reports no event, but makes the kernel look the name up again. */
  record Look(NameInDirectory place) implements ShadowCall {
    @Override
    public List<NameInDirectory> places() {
      return List.of(place);
    }
  }
}
