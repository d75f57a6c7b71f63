package io.hypersync.worker.local;

import io.hypersync.model.id.InodeNo;

/**
 * A file or directory of this host that the kernel holds as a node of the mount. What changes of it
 * is guarded by {@link LocalNodes}.
 */
public final class LocalNode implements LocalParent {
  private final InodeNo number;
  private final HostId host;
  private LocalPlace place;
  private long lookups;

  LocalNode(InodeNo number, HostId host, LocalPlace place) {
    this.number = number;
    this.host = host;
    this.place = place;
  }

  /** What the kernel calls it. */
  public InodeNo number() {
    return number;
  }

  /** Which file of this host it is. */
  public HostId host() {
    return host;
  }

  LocalPlace place() {
    return place;
  }

  void placeAt(LocalPlace now) {
    place = now;
  }

  void lookedUp() {
    lookups++;
  }

  /** Lowers the lookup count; returns whether the kernel still holds the node. */
  boolean survives(long takenBack) {
    lookups -= Math.min(lookups, takenBack < 0 ? Long.MAX_VALUE : takenBack);
    return lookups > 0;
  }
}
