package io.hypersync.runtime.stages;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import java.util.Set;

/**
 * A ring buffer of the timestamps of the newest mutations, by intent id. Worker and leader keep one
 * each; joined by intent id they show the whole path of a mutation. Not thread-safe. Stored in one
 * array of numbers, since a row is written for every mutation.
 */
public final class RecentTimestamps {
  private static final int ID_COLUMNS = 3;

  private final int columns;
  private final long[] cells;
  private final int rows;
  private long added;

  /**
   * Makes an empty buffer.
   *
   * @param rows how many mutations it holds
   * @param columns how many timestamps a mutation has
   */
  public RecentTimestamps(int rows, int columns) {
    this.rows = rows;
    this.columns = ID_COLUMNS + columns;
    this.cells = new long[rows * this.columns];
  }

  /** Adds a row, overwriting the oldest one; {@link #set} then fills it. */
  public void add(IntentId intent) {
    int at = at(added);
    cells[at] = intent.client().high();
    cells[at + 1] = intent.client().low();
    cells[at + 2] = intent.seqNo();
    added++;
  }

  /** Sets a timestamp of the newest row; {@code column} is from 0 on. */
  public void set(int column, long nanos) {
    cells[at(added - 1) + ID_COLUMNS + column] = nanos;
  }

  /** All rows, oldest first: by intent id, an array of the timestamps. */
  public ObjectNode all() {
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    for (long row = Math.max(0, added - rows); row < added; row++) {
      tree.set(intent(row).toString(), times(row));
    }
    return tree;
  }

  /** The rows of these intents, in the same form; intents without a row are left out. */
  public ObjectNode of(Set<IntentId> intents) {
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    for (long row = Math.max(0, added - rows); row < added; row++) {
      IntentId intent = intent(row);
      if (intents.contains(intent)) {
        tree.set(intent.toString(), times(row));
      }
    }
    return tree;
  }

  private IntentId intent(long row) {
    int at = at(row);
    return new IntentId(new ClientId(cells[at], cells[at + 1]), cells[at + 2]);
  }

  private ArrayNode times(long row) {
    ArrayNode times = JsonNodeFactory.instance.arrayNode();
    for (int column = ID_COLUMNS; column < columns; column++) {
      times.add(cells[at(row) + column]);
    }
    return times;
  }

  private int at(long row) {
    return (int) (row % rows) * columns;
  }
}
