package io.hypersync.chunkstore.database;

import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A database in memory, for tests and for the simulator, where it stands for the disk: a write that
 * has returned is durable, and a crash never finds half of a batch. {@link #close} keeps the rows,
 * so that the next run finds them. Thread-safe.
 */
public final class InMemoryDatabase implements Database {
  private final Map<String, NavigableMap<byte[], byte[]>> families = new TreeMap<>();

  /** An empty database. */
  public InMemoryDatabase() {
    families.put(DEFAULT, rows());
  }

  @Override
  public synchronized byte @Nullable [] get(String family, byte[] key) {
    NavigableMap<byte[], byte[]> rows = families.get(family);
    byte[] value = rows == null ? null : rows.get(key);
    return value == null ? null : value.clone();
  }

  @Override
  public synchronized void write(Batch batch) {
    for (Batch.Change change : batch.changes()) {
      var _ = family(change.family()); // all or nothing
    }
    for (Batch.Change change : batch.changes()) {
      byte[] value = change.value();
      if (value == null) {
        family(change.family()).remove(change.key());
      } else {
        family(change.family()).put(change.key().clone(), value.clone());
      }
    }
  }

  @Override
  public synchronized Set<String> families() {
    Set<String> names = new TreeSet<>(families.keySet());
    names.remove(DEFAULT);
    return names;
  }

  @Override
  public synchronized void createFamily(String family) {
    if (families.putIfAbsent(family, rows()) != null) {
      throw new IllegalArgumentException("there is a family " + family);
    }
  }

  @Override
  public synchronized void dropFamily(String family) {
    families.remove(family);
  }

  @Override
  public synchronized byte @Nullable [] scan(
      String family, byte[] from, int limit, RowConsumer rows) {
    int count = 0;
    for (Map.Entry<byte[], byte[]> row : family(family).tailMap(from, true).entrySet()) {
      if (count++ == limit) {
        return row.getKey().clone();
      }
      rows.accept(row.getKey().clone(), row.getValue().clone());
    }
    return null;
  }

  @Override
  public synchronized long approximateCount(String family) {
    return family(family).size();
  }

  @Override
  public void close() {
    // The rows stay.
  }

  private NavigableMap<byte[], byte[]> family(String name) {
    NavigableMap<byte[], byte[]> rows = families.get(name);
    if (rows == null) {
      throw new IllegalArgumentException("there is no family " + name);
    }
    return rows;
  }

  private static NavigableMap<byte[], byte[]> rows() {
    return new TreeMap<>(Arrays::compareUnsigned);
  }
}
