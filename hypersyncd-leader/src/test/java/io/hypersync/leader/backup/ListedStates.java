package io.hypersync.leader.backup;

import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotCatalog;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** A catalog in memory. */
final class ListedStates implements SnapshotCatalog {
  private final TreeMap<Long, Snapshot> states = new TreeMap<>();

  @Override
  public List<Snapshot> list() {
    return new ArrayList<>(states.values());
  }

  @Override
  public List<Long> indexes() {
    return new ArrayList<>(states.keySet());
  }

  @Override
  public void put(Snapshot snapshot) {
    states.put(snapshot.index(), snapshot);
  }

  @Override
  public void setAside() {
    states.clear();
  }

  @Override
  public void remove(long index) {
    states.remove(index);
  }
}
