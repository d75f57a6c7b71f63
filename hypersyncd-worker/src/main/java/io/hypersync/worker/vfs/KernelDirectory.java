package io.hypersync.worker.vfs;

import io.hypersync.model.id.Name;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The names and the listing of one directory that the kernel may have cached. Thread-safe. */
final class KernelDirectory {
  /** The most names of one directory that the kernel may cache; further names are not cached. */
  private static final int MAX_NAMES = 1 << 17;

  private final Set<Name> names = ConcurrentHashMap.newKeySet(1);
  private volatile @Nullable CachedListing listing;
  private volatile long busyUntilNs = Long.MIN_VALUE;

  /** Notes that the kernel may cache the name; false if there are too many already. */
  boolean noteName(Name name) {
    return names.contains(name) || (names.size() < MAX_NAMES && names.add(name));
  }

  boolean hasName(Name name) {
    return names.contains(name);
  }

  boolean takeName(Name name) {
    return !names.isEmpty() && names.remove(name);
  }

  List<Name> takeNames() {
    List<Name> taken = new ArrayList<>(names);
    taken.forEach(names::remove);
    return taken;
  }

  /** The state of the kernel's cached listing; created on first use. */
  synchronized CachedListing listing() {
    CachedListing known = listing;
    if (known == null) {
      known = new CachedListing();
      listing = known;
    }
    return known;
  }

  boolean takeListing() {
    CachedListing known = listing;
    return known != null && known.changed();
  }

  void listingDropped() {
    CachedListing known = listing;
    if (known != null) {
      known.dropped();
    }
  }

  /**
   * A process of this host is changing a name here; the directory counts as busy until {@code
   * untilNs} (monotonic).
   */
  void changing(long untilNs) {
    busyUntilNs = untilNs;
  }

  boolean isQuiet(long nowNs) {
    return busyUntilNs == Long.MIN_VALUE || nowNs - busyUntilNs >= 0;
  }
}
