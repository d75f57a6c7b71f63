package io.hypersync.chunkstore.database;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Changes that a {@link Database} makes together, in the order in which they were added. */
public final class Batch {
  /**
   * One change.
   *
   * @param value null to delete the key
   */
  record Change(String family, byte[] key, byte @Nullable [] value) {}

  private final List<Change> changes = new ArrayList<>();

  /** Sets the value of a key. The arrays are not copied. */
  public void put(String family, byte[] key, byte[] value) {
    changes.add(new Change(family, key, value));
  }

  /** Deletes a key, if it exists. The array is not copied. */
  public void delete(String family, byte[] key) {
    changes.add(new Change(family, key, null));
  }

  /** How many changes it has. */
  public int size() {
    return changes.size();
  }

  List<Change> changes() {
    return changes;
  }
}
