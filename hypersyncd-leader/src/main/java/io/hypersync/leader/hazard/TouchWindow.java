package io.hypersync.leader.hazard;

import io.hypersync.model.id.NodeId;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * The latest touches of each node. What it holds follows from the log alone, and not from a clock
 * (hypersync.md 11.2): of each node the last {@link #NODE_TOUCHES}, and no touch by an entry that
 * is {@link #ENTRIES} or more before the newest one. So it is bounded, too.
 */
final class TouchWindow {
  /** Of one node. */
  static final int NODE_TOUCHES = 256;

  /** How far back in the log, in entries. */
  static final int ENTRIES = 16_384;

  private final Map<NodeId, ArrayDeque<Touch>> nodes = new HashMap<>();

  /** All touches in the order of the log; some may have been pushed out of their node's window. */
  private final ArrayDeque<Touch> inOrder = new ArrayDeque<>();

  /** Forgets what is too old for an entry with this index. */
  void expire(long index) {
    while (!inOrder.isEmpty() && inOrder.getFirst().index() <= index - ENTRIES) {
      remove(inOrder.removeFirst());
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
      inOrder.addLast(touch);
    }
  }

  private void remove(Touch touch) {
    ArrayDeque<Touch> ofNode = nodes.get(touch.node());
    if (ofNode != null && !ofNode.isEmpty() && ofNode.getFirst().index() <= touch.index()) {
      ofNode.removeFirst();
      if (ofNode.isEmpty()) {
        nodes.remove(touch.node());
      }
    }
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
  }

  /** How many touches are held. */
  int size() {
    return inOrder.size();
  }
}
