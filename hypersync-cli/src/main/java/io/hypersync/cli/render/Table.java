package io.hypersync.cli.render;

import io.hypersync.model.text.Printable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Text table with headings; columns are as wide as their widest cell. Not thread-safe. */
public final class Table {
  private static final String GAP = "  ";

  private final List<Column> columns;
  private final List<List<String>> rows = new ArrayList<>();

  /** Alignment of a column. */
  enum Align {
    LEFT,
    RIGHT
  }

  private record Column(String heading, Align align) {}

  private Table(List<Column> columns) {
    this.columns = columns;
  }

  /**
   * Creates a table without rows.
   *
   * @param headings of the columns; one that begins with {@code >} is right-aligned, with its
   *     column
   */
  public static Table of(String... headings) {
    List<Column> columns = new ArrayList<>();
    for (String heading : headings) {
      columns.add(
          heading.startsWith(">")
              ? new Column(heading.substring(1), Align.RIGHT)
              : new Column(heading, Align.LEFT));
    }
    return new Table(columns);
  }

  /**
   * Adds a row. Each cell is made a single line, see {@link Printable#line}.
   *
   * @throws IllegalArgumentException if there are not as many cells as columns
   */
  public Table row(String... cells) {
    if (cells.length != columns.size()) {
      throw new IllegalArgumentException(
          cells.length + " cells in a table of " + columns.size() + " columns");
    }
    List<String> row = new ArrayList<>();
    for (String cell : cells) {
      row.add(Printable.line(cell));
    }
    rows.add(row);
    return this;
  }

  public boolean isEmpty() {
    return rows.isEmpty();
  }

  /** Like {@link #render}, without the headings. */
  String body(String indent) {
    String all = render(indent);
    return all.substring(all.indexOf('\n') + 1);
  }

  /** Returns the lines, each with {@code indent} before it and a line feed after it. */
  public String render(String indent) {
    List<String> headings = columns.stream().map(Column::heading).toList();
    List<List<String>> lines = new ArrayList<>();
    lines.add(headings);
    lines.addAll(rows);
    List<Integer> widths = new ArrayList<>(Collections.nCopies(columns.size(), 0));
    for (List<String> line : lines) {
      for (int i = 0; i < line.size(); i++) {
        widths.set(i, Math.max(widths.get(i), line.get(i).length()));
      }
    }
    StringBuilder text = new StringBuilder();
    for (List<String> line : lines) {
      StringBuilder one = new StringBuilder(indent);
      for (int i = 0; i < line.size(); i++) {
        String padding = " ".repeat(widths.get(i) - line.get(i).length());
        one.append(i == 0 ? "" : GAP);
        one.append(
            switch (columns.get(i).align()) {
              case LEFT -> line.get(i) + padding;
              case RIGHT -> padding + line.get(i);
            });
      }
      text.append(one.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }
}
