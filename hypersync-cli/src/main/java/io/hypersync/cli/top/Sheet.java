package io.hypersync.cli.top;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * The table of a view.
 *
 * @param notes sentences above it: what is not known, or stands out
 * @param rows in the order that the view has by itself; {@link #MOST} at most
 * @param left how many rows there are beyond these
 */
record Sheet(View view, List<String> notes, List<Column> columns, List<Row> rows, long left) {
  /** The most rows of a sheet: whoever has more agents than that looks at the busiest. */
  static final int MOST = 1_000;

  /** A sheet of all these rows, or of the first {@link #MOST}. */
  static Sheet of(View view, List<String> notes, List<Column> columns, List<Row> rows) {
    int kept = Math.min(rows.size(), MOST);
    return new Sheet(
        view, List.copyOf(notes), columns, List.copyOf(rows.subList(0, kept)), rows.size() - kept);
  }

  /** Those rows that a person has asked for. */
  Sheet shown(Shown shown) {
    List<Row> wanted = new ArrayList<>();
    String filter = shown.filter().toLowerCase(Locale.ROOT);
    for (Row row : rows) {
      boolean isHere =
          shown.workspace().isEmpty()
              || row.workspace().isEmpty()
              || row.workspace().equals(shown.workspace());
      if (isHere && (filter.isEmpty() || row.has(filter))) {
        wanted.add(row);
      }
    }
    int column = shown.sortColumn();
    if (column >= 0 && column < columns.size()) {
      Comparator<Row> order = (a, b) -> Cell.compare(a.cells().get(column), b.cells().get(column));
      boolean isLargestFirst = columns.get(column).isNumber() != shown.isReversed();
      wanted.sort(isLargestFirst ? order.reversed() : order);
    }
    return new Sheet(view, notes, columns, List.copyOf(wanted), left);
  }

  /** As {@code docs/json.md} says. */
  ObjectNode json() {
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    ArrayNode list = tree.putArray("rows");
    for (Row row : rows) {
      ObjectNode each = list.addObject();
      for (int i = 0; i < columns.size(); i++) {
        each.set(columns.get(i).key(), row.cells().get(i).value());
      }
      ArrayNode details = each.putArray("details");
      row.details().forEach(details::add);
    }
    tree.put("left", left);
    ArrayNode said = tree.putArray("notes");
    notes.forEach(said::add);
    return tree;
  }
}
