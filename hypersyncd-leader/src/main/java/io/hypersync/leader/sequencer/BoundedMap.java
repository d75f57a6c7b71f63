package io.hypersync.leader.sequencer;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A map of at most {@code maxSize} rows, which evicts the row that was inserted first.
 *
 * @param <K> keys
 * @param <V> values
 */
public final class BoundedMap<K, V> extends LinkedHashMap<K, V> {
  private static final long serialVersionUID = 1L;

  private final int maxSize;

  /** An empty map that holds {@code maxSize} rows at most. */
  public BoundedMap(int maxSize) {
    this.maxSize = maxSize;
  }

  @Override
  protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
    return size() > maxSize;
  }
}
