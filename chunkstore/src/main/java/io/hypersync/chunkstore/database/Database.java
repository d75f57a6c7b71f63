package io.hypersync.chunkstore.database;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An ordered map from byte strings to byte strings, divided into families. Writes are atomic and
 * durable. A family is created and dropped as a whole, which costs little however much is in it.
 *
 * <p>Any thread may read. One thread at a time may write, create or drop. A read sees each batch
 * wholly or not at all, and sees it once {@link #write} has returned.
 */
public interface Database extends AutoCloseable {
  /** The family that every database has. */
  String DEFAULT = "default";

  /** Receives rows in the order of their keys, which are compared as unsigned bytes. */
  @FunctionalInterface
  interface RowConsumer {
    /** Takes a row; both arrays are the receiver's. */
    void accept(byte[] key, byte[] value);
  }

  /**
   * The value of a key; null if it has none, or there is no such family (any more).
   *
   * @throws DatabaseException if the database cannot be read
   */
  byte @Nullable [] get(String family, byte[] key);

  /**
   * Writes the batch, all of it or nothing, and returns when it is on stable storage.
   *
   * @throws DatabaseException if it fails; the batch may or may not have been written, and the same
   *     call may succeed later
   * @throws IllegalArgumentException if the batch names a family that does not exist
   */
  void write(Batch batch);

  /** Like {@link #write}, but while the disk is only slow it retries for up to 10 seconds. */
  default void writePatiently(Batch batch) {
    write(batch);
  }

  /** The families that exist, except {@link #DEFAULT}. */
  Set<String> families();

  /**
   * Creates an empty family, durably.
   *
   * @throws DatabaseException if it fails
   * @throws IllegalArgumentException if there is one of that name
   */
  void createFamily(String family);

  /**
   * Removes a family with all that is in it; does nothing if there is none. Reads that have begun
   * still find their rows.
   *
   * @throws DatabaseException if it fails
   */
  void dropFamily(String family);

  /**
   * Reads rows from a key on. Rows that are written meanwhile may be missing.
   *
   * @param from the first key that is wanted, if it exists
   * @param limit the most rows to read
   * @return the key to continue from, null at the end of the family
   * @throws DatabaseException if the database cannot be read
   * @throws IllegalArgumentException if there is no such family
   */
  byte @Nullable [] scan(String family, byte[] from, int limit, RowConsumer rows);

  /** About how many rows a family has. */
  long approximateCount(String family);

  /** Releases the files. Nothing may be called afterwards. */
  @Override
  void close();
}
