package io.hypersync.wire.stages;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import java.util.Set;

/**
 * When the newest mutations were where: the part that worker and leader know each, by intent, so
 * that both can be put together. Single-threaded, and numbers only: it is written to for every
 * mutation.
 */
public final class NewestTimes {
  private static final int ID_COLUMNS = 3;

  private final int columns;
  private final long[] cells;
  private final int rows;
  private long added;

  /**
   * Knows nothing yet.
   *
   * @param rows how many mutations are remembered
   * @param columns how many times of each
   */
  public NewestTimes(int rows, int columns) {
    this.rows = rows;
    this.columns = ID_COLUMNS + columns;
    this.cells = new long[rows * this.columns];
  }

  /** A new row, in place of the oldest; its times are those of {@link #set}. */
  public void add(IntentId intent) {
    int at = at(added);
    cells[at] = intent.client().high();
    cells[at + 1] = intent.client().low();
    cells[at + 2] = intent.seqNo();
    added++;
  }

  /** Sets a time of the newest row. */
  public void set(int column, long nanos) {
    cells[at(added - 1) + ID_COLUMNS + column] = nanos;
  }

  /** All rows by intent, oldest first: for each an array of its times. */
  public ObjectNode all() {
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    for (long row = Math.max(0, added - rows); row < added; row++) {
      tree.set(intent(row).toString(), times(row));
    }
    return tree;
  }

  /** The rows of these intents, as far as they are known. */
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
