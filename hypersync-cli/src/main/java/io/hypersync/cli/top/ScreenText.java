package io.hypersync.cli.top;

import io.hypersync.model.text.Printable;
import java.util.ArrayList;
import java.util.List;

/** Makes the lines of the screen. Pure: the same answers and the same size give the same lines. */
final class ScreenText {
  private static final String GAP = "  ";

  /** A text at the end of a row takes what is left; one before it no more than that. */
  private static final int WIDEST = 40;

  private static final int MOST_NOTES = 4;

  /** Of a line that goes on; a narrow screen has less, and room for a wide character. */
  private static final int INDENT = 10;

  private ScreenText() {}

  /**
   * The screen, never more lines than its height, none wider than its width.
   *
   * @param time of the day, for people
   */
  static List<Line> lines(TopModel model, Shown shown, String time, int width, int height) {
    Sheet sheet = Sheets.of(shown.view(), model).shown(shown);
    List<Line> top = new ArrayList<>(Header.lines(model, shown, time));
    top.add(new Line(tabs(shown.view(), width), Line.Style.PLAIN));
    int room = Math.max(1, height - top.size() - 1);
    List<Line> body =
        switch (shown.mode()) {
          case TABLE, FILTERING -> table(sheet, shown, width, room);
          case HELP -> part(wrapped(help(sheet), width), shown.scroll(), room);
          case DETAILS -> part(wrapped(details(sheet, shown), width), shown.scroll(), room);
        };
    List<Line> all = new ArrayList<>(top);
    all.addAll(body);
    while (all.size() < height - 1) {
      all.add(Line.plain(""));
    }
    List<Line> screen = new ArrayList<>(all.subList(0, Math.min(all.size(), height - 1)));
    screen.add(new Line(footer(sheet, shown), Line.Style.HEADING));
    return screen.stream()
        .map(
            line ->
                new Line(
                    TextWidth.fit(Printable.line(line.text()), width).stripTrailing(),
                    line.style()))
        .toList();
  }

  /**
   * All rows of a view, for standard output.
   *
   * @param width lines are cut there; text is complete with a large one
   * @param most rows at most
   */
  static List<String> plain(TopModel model, Shown shown, int width, int most) {
    Sheet sheet = Sheets.of(shown.view(), model).shown(shown);
    List<String> lines = new ArrayList<>();
    lines.add(shown.view().word() + ": " + shown.view().about());
    for (String note : sheet.notes()) {
      lines.add(GAP + Printable.line(note));
    }
    if (!sheet.rows().isEmpty()) {
      int kept = Math.min(most, sheet.rows().size());
      int[] widths = widths(sheet, sheet.rows().subList(0, kept), width - GAP.length());
      lines.add(GAP + headings(sheet, widths, -1).stripTrailing());
      for (Row row : sheet.rows().subList(0, kept)) {
        lines.add(GAP + row(sheet, row, widths).stripTrailing());
      }
      long left = sheet.left() + sheet.rows().size() - kept;
      if (left > 0) {
        lines.add(GAP + left + " more");
      }
    } else if (sheet.notes().isEmpty()) {
      lines.add(GAP + "nothing");
    }
    return lines;
  }

  private static String tabs(View shown, int width) {
    StringBuilder tabs = new StringBuilder();
    for (View view : View.values()) {
      boolean isShown = view == shown;
      tabs.append(tabs.isEmpty() ? "" : " ")
          .append(view.key())
          .append(isShown ? view.name() : view.word());
    }
    if (tabs.length() <= width) {
      return tabs.toString();
    }
    return shown.key() + shown.name() + "  tab: the next of " + View.values().length + " views";
  }

  private static List<Line> table(Sheet sheet, Shown shown, int width, int room) {
    List<Line> lines = new ArrayList<>();
    for (String note : sheet.notes().subList(0, Math.min(MOST_NOTES, sheet.notes().size()))) {
      if (lines.size() < room / 2) {
        lines.add(Line.plain(note));
      }
    }
    int rows = Math.max(0, room - lines.size() - 1);
    int selected = Math.clamp(shown.selected(), 0, Math.max(0, sheet.rows().size() - 1));
    int first = Math.clamp(selected - rows / 2, 0, Math.max(0, sheet.rows().size() - rows));
    List<Row> visible = sheet.rows().subList(first, Math.min(sheet.rows().size(), first + rows));
    int[] widths = widths(sheet, visible, width);
    lines.add(new Line(headings(sheet, widths, shown.sortColumn()), Line.Style.HEADING));
    for (int i = 0; i < visible.size(); i++) {
      lines.add(
          new Line(
              row(sheet, visible.get(i), widths),
              first + i == selected ? Line.Style.SELECTED : Line.Style.PLAIN));
    }
    if (visible.isEmpty() && sheet.notes().isEmpty()) {
      lines.add(Line.plain(shown.filter().isEmpty() ? "nothing" : "nothing has " + shown.filter()));
    }
    return lines;
  }

  /** So wide that all fits; what is too wide is cut, the widest text first. */
  private static int[] widths(Sheet sheet, List<Row> rows, int width) {
    int columns = sheet.columns().size();
    int[] widths = new int[columns];
    for (int i = 0; i < columns; i++) {
      widths[i] = sheet.columns().get(i).heading().length() + 1; // room for the mark of sorting
      for (Row row : rows) {
        widths[i] = Math.max(widths[i], TextWidth.of(row.cells().get(i).text()));
      }
      if (i < columns - 1) {
        widths[i] = Math.min(widths[i], WIDEST);
      }
    }
    int over = GAP.length() * (columns - 1) - width;
    for (int each : widths) {
      over += each;
    }
    while (over > 0) {
      int widest = 0;
      for (int i = 0; i < columns; i++) {
        boolean isText = !sheet.columns().get(i).isNumber();
        if (isText && (sheet.columns().get(widest).isNumber() || widths[i] >= widths[widest])) {
          widest = i;
        }
      }
      if (widths[widest] <= 1) {
        break; // the line is cut at its end
      }
      widths[widest]--;
      over--;
    }
    return widths;
  }

  private static String headings(Sheet sheet, int[] widths, int sorted) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      Column column = sheet.columns().get(i);
      String heading = column.heading() + (i == sorted ? "*" : "");
      line.append(i == 0 ? "" : GAP)
          .append(
              column.isNumber()
                  ? TextWidth.fitRight(heading, widths[i])
                  : TextWidth.fit(heading, widths[i]));
    }
    return line.toString();
  }

  private static String row(Sheet sheet, Row row, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String text = row.cells().get(i).text();
      line.append(i == 0 ? "" : GAP)
          .append(
              sheet.columns().get(i).isNumber()
                  ? TextWidth.fitRight(text, widths[i])
                  : TextWidth.fit(text, widths[i]));
    }
    return line.toString();
  }

  private static String footer(Sheet sheet, Shown shown) {
    return switch (shown.mode()) {
      case FILTERING -> "filter: " + shown.filter() + "_   enter: keep, escape: drop";
      case HELP, DETAILS -> "j k: scroll   any other key: back";
      case TABLE -> {
        String filter = shown.filter().isEmpty() ? "" : "  has \"" + shown.filter() + '"';
        int place =
            sheet.rows().isEmpty() ? 0 : Math.min(shown.selected() + 1, sheet.rows().size());
        yield "q quit  ? help  tab view  s sort  / filter  enter details  "
            + place
            + " of "
            + (sheet.rows().size() + sheet.left())
            + filter;
      }
    };
  }

  private static List<Line> help(Sheet sheet) {
    List<Line> lines = new ArrayList<>();
    lines.add(new Line(sheet.view().word() + ": " + sheet.view().about(), Line.Style.TITLE));
    for (Column column : sheet.columns()) {
      lines.add(new Line(column.heading(), Line.Style.HEADING));
      lines.add(Line.plain("  what:   " + column.what()));
      lines.add(Line.plain("  why:    " + column.why()));
      lines.add(Line.plain("  worry:  " + column.worry()));
    }
    lines.add(new Line("keys", Line.Style.HEADING));
    lines.add(
        Line.plain(
            "  1 to 9, 0, tab   the view            s, r    sort by the next column; turn around"));
    lines.add(
        Line.plain(
            "  j k, arrows      up and down         /       only rows with a text; escape: all"));
    lines.add(
        Line.plain("  space, g, G      page, first, last   w       the next workspace; then all"));
    lines.add(Line.plain("  enter            all of a row        q       quit"));
    return lines;
  }

  private static List<Line> details(Sheet sheet, Shown shown) {
    List<Line> lines = new ArrayList<>();
    if (sheet.rows().isEmpty()) {
      return lines;
    }
    Row row = sheet.rows().get(Math.clamp(shown.selected(), 0, sheet.rows().size() - 1));
    for (int i = 0; i < row.cells().size(); i++) {
      lines.add(
          Line.plain(
              TextWidth.fit(sheet.columns().get(i).heading(), 14) + row.cells().get(i).text()));
    }
    lines.add(Line.plain(""));
    row.details().forEach(each -> lines.add(Line.plain(each)));
    return lines;
  }

  /**
   * Lines that are too wide go on in the next one, behind some blanks: at the last blank of their
   * second half, or anywhere. Each holds a character at least, however narrow the screen is.
   */
  static List<Line> wrapped(List<Line> lines, int width) {
    List<Line> found = new ArrayList<>();
    String blanks = " ".repeat(Math.clamp(Math.min(width / 2, width - 2), 0, INDENT));
    for (Line line : lines) {
      String text = Printable.line(line.text());
      String before = "";
      int at = 0;
      int end = TextWidth.end(text, at, width);
      while (end < text.length()) {
        end = Math.max(end, text.offsetByCodePoints(at, 1));
        int cut = lastBlank(text, at + width / 2 - before.length(), end);
        found.add(new Line(before + text.substring(at, cut), line.style()));
        at = cut;
        while (at < text.length() && text.charAt(at) == ' ') {
          at++;
        }
        before = blanks;
        end = TextWidth.end(text, at, width - before.length());
      }
      if (at < text.length() || at == 0) {
        found.add(new Line(before + text.substring(at), line.style()));
      }
    }
    return found;
  }

  /** Where the last blank behind a place is, at the end at most; the end if there is none. */
  private static int lastBlank(String text, int behind, int end) {
    for (int i = Math.min(end, text.length() - 1); i > behind; i--) {
      if (text.charAt(i) == ' ') {
        return i;
      }
    }
    return end;
  }

  private static List<Line> part(List<Line> lines, int scroll, int room) {
    int first = Math.clamp(scroll, 0, Math.max(0, lines.size() - room));
    return lines.subList(first, Math.min(lines.size(), first + room));
  }
}
