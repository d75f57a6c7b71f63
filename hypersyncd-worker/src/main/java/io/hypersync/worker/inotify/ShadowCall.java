package io.hypersync.worker.inotify;

import io.hypersync.model.state.Node;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A system call on the own mount that changes nothing but has the kernel report an event. */
public sealed interface ShadowCall {
  /** The names that the call needs the kernel to look up anew. */
  List<Place> places();

  /** mknod or mkdir: IN_CREATE. */
  record Make(Place place, boolean directory) implements ShadowCall {
    @Override
    public List<Place> places() {
      return List.of(place);
    }
  }

  /** unlink or rmdir: IN_DELETE, and IN_DELETE_SELF of a real subject. */
  record Remove(Place place, Subject subject) implements ShadowCall {
    @Override
    public List<Place> places() {
      return List.of(place);
    }
  }

  /**
   * renameat2: IN_MOVED_FROM and IN_MOVED_TO with one cookie, IN_MOVE_SELF of a real subject.
   *
   * @param displaced what has the new name before: for an exchange, and if it is watched itself
   * @param exchange whether both names change places
   */
  record Move(Place from, Subject moved, Place to, @Nullable Subject displaced, boolean exchange)
      implements ShadowCall {
    @Override
    public List<Place> places() {
      return List.of(from, to);
    }
  }

  /**
   * utimensat: IN_MODIFY or IN_ATTRIB, of the node and of the name.
   *
   * @param place the name by which it is reached, or null to reach the node itself
   * @param node as it is after the entry
   * @param content whether the content has changed; attributes else
   */
  record Touch(@Nullable Place place, Node node, boolean content) implements ShadowCall {
    @Override
    public List<Place> places() {
      return place == null ? List.of() : List.of(place);
    }

    /** Whether the kernel would report the same event again. */
    boolean repeats(Touch other) {
      return content == other.content
          && node.id().equals(other.node.id())
          && Objects.equals(place, other.place);
    }
  }

  /** stat: no event; what the name leads to now is found again. */
  record Look(Place place) implements ShadowCall {
    @Override
    public List<Place> places() {
      return List.of(place);
    }
  }
}
