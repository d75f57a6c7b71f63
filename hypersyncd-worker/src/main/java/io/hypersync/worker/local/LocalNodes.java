package io.hypersync.worker.local;

import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.Name;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The local nodes that the kernel holds. Their numbers are above all that a leader gives out, and
 * none is used again while the mount lives: a file that takes over the inode number of one that is
 * gone gets another number here.
 *
 * <p>No descriptor is kept for a node, since there may be more of them than a process can have. A
 * node is found by one of its names. All changes of names are made through this mount, and are told
 * to this table, so that name is right; whoever opens it compares the {@link HostId} all the same.
 * Thread-safe.
 */
public final class LocalNodes {
  /** A leader counts inodes from 2 on, and cannot get here. */
  private static final long FIRST = 1L << 62;

  /** As deep as the kernel itself lets nobody go by a path; keeps a wrong table from hanging. */
  private static final int MAX_DEPTH = 1 << 16;

  private final Long2ObjectHashMap<LocalNode> byNumber = new Long2ObjectHashMap<>();
  private final Map<HostId, LocalNode> byHost = new HashMap<>();
  private long next = FIRST;

  /** Whether the kernel's number is that of a local node. */
  public static boolean isLocal(InodeNo number) {
    return number.value() >= FIRST;
  }

  /**
   * The node of a file that was found at a place; raises its lookup count. To be called before the
   * reply is sent.
   */
  public synchronized LocalNode lookedUp(LocalPlace place, HostId host) {
    LocalNode node = byHost.get(host);
    if (node == null) {
      node = new LocalNode(new InodeNo(next++), host, place);
      byHost.put(host, node);
      byNumber.put(node.number().value(), node);
    } else {
      node.placeAt(place);
    }
    node.lookedUp();
    return node;
  }

  /** The node with this number; null if the kernel does not hold it. */
  public synchronized @Nullable LocalNode get(InodeNo number) {
    return byNumber.get(number.value());
  }

  /** Lowers a lookup count; at 0 the node is forgotten. */
  public synchronized void forget(InodeNo number, long lookups) {
    LocalNode node = byNumber.get(number.value());
    if (node != null && !node.survives(lookups)) {
      byNumber.remove(number.value());
      byHost.remove(node.host(), node);
    }
  }

  /** A file is found at another place now. */
  public synchronized void moved(HostId host, LocalPlace place) {
    LocalNode node = byHost.get(host);
    if (node != null) {
      node.placeAt(place);
    }
  }

  /** The last name of a file is gone: what has its inode number from now on is another one. */
  public synchronized void removed(HostId host) {
    byHost.remove(host);
  }

  /** How many nodes the kernel holds. */
  public synchronized int size() {
    return byNumber.size();
  }

  /** The directory that a node is in. */
  public synchronized LocalParent parent(LocalNode node) {
    return node.place().parent();
  }

  /** How to reach a node; null if that is not known. */
  public synchronized @Nullable LocalPath path(LocalNode node) {
    List<Name> names = new ArrayList<>();
    LocalNode at = node;
    while (names.size() < MAX_DEPTH) {
      LocalPlace place = at.place();
      names.add(place.name());
      switch (place.parent()) {
        case LocalNode parent -> at = parent;
        case LocalParent.Replicated(var directory) -> {
          return new LocalPath(directory, names.reversed());
        }
      }
    }
    return null;
  }
}
