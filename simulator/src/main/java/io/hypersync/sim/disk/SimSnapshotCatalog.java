package io.hypersync.sim.disk;

import io.hypersync.model.codec.DecodeException;
import io.hypersync.sim.check.Violation;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotCatalog;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** A catalog whose changes are durable at once, as those of the product's files are. */
final class SimSnapshotCatalog implements SnapshotCatalog {
  private final TreeMap<Long, byte[]> files = new TreeMap<>();

  @Override
  public List<Snapshot> list() {
    List<Snapshot> found = new ArrayList<>();
    for (byte[] file : files.values()) {
      try {
        found.add(Snapshot.decode(file));
      } catch (DecodeException e) {
        throw new Violation("the catalog has what is no snapshot: " + e.getMessage());
      }
    }
    return found;
  }

  @Override
  public List<Long> indexes() {
    return List.copyOf(files.keySet());
  }

  @Override
  public void put(Snapshot snapshot) {
    files.put(snapshot.index(), snapshot.encode());
  }

  @Override
  public void setAside() {
    files.clear();
  }

  @Override
  public void remove(long index) {
    files.remove(index);
  }
}
