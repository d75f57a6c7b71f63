package io.hypersync.leader.hazard;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.NodeId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The latest touches of each node, and when each repository has recorded work last. What it holds
 * follows from the log alone, and not from a clock (hypersync.md 11.2): of each node the last
 * {@link #NODE_TOUCHES}, and nothing of an entry that is {@link #ENTRIES} or more before the newest
 * one. So it is bounded, too.
 */
public final class TouchWindow {
  /** Of one node. */
  public static final int NODE_TOUCHES = 256;

  /** How far back in the log, in entries. */
  public static final int ENTRIES = 16_384;

  private final Map<NodeId, ArrayDeque<Touch>> nodes = new HashMap<>();

  /** All touches in the order of the log; some may have been pushed out of their node's window. */
  private final ArrayDeque<Held> inOrder = new ArrayDeque<>();

  /** By the directory {@code .git}: the last entry that has moved a branch; the oldest first. */
  private final LinkedHashMap<NodeId, Long> recorded = new LinkedHashMap<>();

  /**
   * A touch with the queue of its node: what is as old as the window is in no processor's cache, so
   * each step on the way to the queue would wait for memory, once for each entry.
   */
  private record Held(Touch touch, ArrayDeque<Touch> ofNode) {}

  /** Nothing was touched. */
  public TouchWindow() {}

  /**
   * What a window held behind an entry. Immutable.
   *
   * @param index of the entry
   * @param root of the state behind it
   * @param touches in the order of the log
   * @param recorded as in the window, the oldest first
   */
  public record Image(long index, Hash root, List<Touch> touches, List<Recorded> recorded) {
    /** Copies the lists. */
    public Image {
      touches = List.copyOf(touches);
      recorded = List.copyOf(recorded);
    }
  }

  /**
   * That a repository has recorded work.
   *
   * @param repository its directory {@code .git}
   * @param index the last entry that has moved a branch
   */
  public record Recorded(NodeId repository, long index) {}

  /** A window that holds what another one did. */
  public static TouchWindow of(Image image) {
    TouchWindow window = new TouchWindow();
    window.add(image.touches());
    image.recorded().forEach(mark -> window.recorded.put(mark.repository(), mark.index()));
    return window;
  }

  /**
   * What it holds. Takes some ten microseconds.
   *
   * @param index the newest entry
   * @param root of the state behind it
   */
  public Image image(long index, Hash root) {
    List<Recorded> marks = new ArrayList<>(recorded.size());
    recorded.forEach((repository, at) -> marks.add(new Recorded(repository, at)));
    return new Image(index, root, inOrder.stream().map(Held::touch).toList(), marks);
  }

  /** Forgets what is too old for an entry with this index. */
  void expire(long index) {
    while (!inOrder.isEmpty() && inOrder.getFirst().touch().index() <= index - ENTRIES) {
      remove(inOrder.removeFirst());
    }
    Iterator<Long> oldest = recorded.values().iterator();
    while (oldest.hasNext() && oldest.next() <= index - ENTRIES) {
      oldest.remove();
    }
  }

  /** Adds what an entry touches. */
  void add(List<Touch> touches) {
    for (Touch touch : touches) {
      ArrayDeque<Touch> ofNode = nodes.computeIfAbsent(touch.node(), _ -> new ArrayDeque<>(2));
      if (ofNode.size() == NODE_TOUCHES) {
        ofNode.removeFirst();
      }
      ofNode.addLast(touch);
      inOrder.addLast(new Held(touch, ofNode));
    }
  }

  /** A queue that has become empty is no node's any more: the next touch begins another one. */
  private void remove(Held held) {
    ArrayDeque<Touch> ofNode = held.ofNode();
    if (!ofNode.isEmpty() && ofNode.getFirst().index() <= held.touch().index()) {
      ofNode.removeFirst();
      if (ofNode.isEmpty()) {
        nodes.remove(held.touch().node());
      }
    }
  }

  /** An entry has moved a branch of the repository with this directory {@code .git}. */
  void recorded(NodeId repository, long index) {
    recorded.remove(repository);
    recorded.put(repository, index);
  }

  /** Whether the repository with this directory {@code .git} has recorded work behind an entry. */
  boolean hasRecorded(NodeId repository, long after) {
    return Optional.ofNullable(recorded.get(repository)).orElse(0L) > after;
  }

  /** The touches of a node, the newest first. */
  Iterator<Touch> newestFirst(NodeId node) {
    ArrayDeque<Touch> ofNode = nodes.get(node);
    return ofNode == null ? List.<Touch>of().iterator() : ofNode.descendingIterator();
  }

  /** Forgets all. */
  void clear() {
    nodes.clear();
    inOrder.clear();
    recorded.clear();
  }

  /** How many touches are held. */
  public int size() {
    return inOrder.size();
  }
}
