package io.hypersync.worker.vfs;

import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** An inode that the kernel knows, and what it may keep of it. Thread-safe. */
final class KernelInode {
  /** More names than that of one directory, and no more are kept. */
  private static final int MAX_NAMES = 1 << 17;

  private final NodeId node;

  /** Names in it, of a directory; null until there is one, for most inodes are files. */
  private volatile @Nullable Set<Name> names;

  private volatile boolean attributes;
  private volatile boolean pages;
  private volatile @Nullable KeptListing listing;
  private volatile long busyUntilNs = Long.MIN_VALUE;

  /** Lookups that the kernel has not taken back; changed under the lock of the map's row. */
  private long lookups;

  KernelInode(NodeId node) {
    this.node = node;
  }

  NodeId node() {
    return node;
  }

  void lookedUp() {
    lookups++;
  }

  /** Whether the kernel still knows the inode after it has taken so many lookups back. */
  boolean survives(long takenBack) {
    lookups -= Math.min(lookups, takenBack < 0 ? Long.MAX_VALUE : takenBack);
    return lookups > 0;
  }

  void noteAttributes() {
    if (!attributes) {
      attributes = true;
    }
  }

  /** Of a directory: what the kernel has of its listing. */
  synchronized KeptListing listing() {
    KeptListing known = listing;
    if (known == null) {
      known = new KeptListing();
      listing = known;
    }
    return known;
  }

  boolean takeListing() {
    KeptListing known = listing;
    return known != null && known.changed();
  }

  void listingDropped() {
    KeptListing known = listing;
    if (known != null) {
      known.dropped();
    }
  }

  boolean takeAttributes() {
    // Not cleared unless it was seen: a note that comes now is for the next one to take. If it
    // was, a note that comes now is for an answer that the kernel will find to be too old.
    if (!attributes) {
      return false;
    }
    attributes = false;
    return true;
  }

  void notePages() {
    if (!pages) {
      pages = true;
    }
  }

  boolean mayHavePages() {
    return pages;
  }

  boolean takePages() {
    if (!pages) {
      return false;
    }
    pages = false;
    return true;
  }

  /** Notes the name; false if there are too many already. */
  boolean noteName(Name name) {
    Set<Name> known = names;
    if (known == null) {
      known = newNames();
    }
    return known.contains(name) || (known.size() < MAX_NAMES && known.add(name));
  }

  private synchronized Set<Name> newNames() {
    Set<Name> known = names;
    if (known == null) {
      known = ConcurrentHashMap.newKeySet(1);
      names = known;
    }
    return known;
  }

  boolean hasName(Name name) {
    Set<Name> known = names;
    return known != null && known.contains(name);
  }

  boolean takeName(Name name) {
    Set<Name> known = names;
    return known != null && !known.isEmpty() && known.remove(name);
  }

  List<Name> takeNames() {
    Set<Name> known = names;
    if (known == null) {
      return List.of();
    }
    List<Name> taken = new ArrayList<>(known);
    taken.forEach(known::remove);
    return taken;
  }

  /** A process of this machine changes a name here. */
  void changing(long untilNs) {
    busyUntilNs = untilNs;
  }

  boolean isQuiet(long nowNs) {
    return busyUntilNs == Long.MIN_VALUE || nowNs - busyUntilNs >= 0;
  }
}
