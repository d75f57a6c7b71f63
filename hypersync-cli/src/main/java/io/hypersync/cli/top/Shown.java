package io.hypersync.cli.top;

import java.util.List;

/**
 * What a person looks at; changed by keys. Pure.
 *
 * @param mode what keys mean
 * @param selected the row that is marked, from 0
 * @param scroll the first line of a help or of details that is shown
 * @param sortColumn by which column rows are sorted; -1 for the order of the view
 * @param isReversed whether that order is turned around
 * @param filter text that rows must have
 * @param workspace first digits of the only workspace that is shown; empty for all
 */
record Shown(
    View view,
    Mode mode,
    int selected,
    int scroll,
    int sortColumn,
    boolean isReversed,
    String filter,
    String workspace) {
  private static final int PAGE = 10;
  private static final int MOST_FILTER = 60;

  /** What keys mean. */
  enum Mode {
    TABLE,
    FILTERING,
    HELP,
    DETAILS
  }

  static Shown of(View view, String workspace) {
    return new Shown(view, Mode.TABLE, 0, 0, -1, false, "", workspace);
  }

  /**
   * What is looked at after a key.
   *
   * @param key a character, or the name of a key as {@link Keys} has them
   * @param columns how many the sheet has
   * @param rows how many are shown
   * @param workspaces all there are
   */
  Shown press(String key, int columns, int rows, List<String> workspaces) {
    return switch (mode) {
      case FILTERING -> filtering(key);
      case HELP, DETAILS -> reading(key);
      case TABLE -> table(key, columns, rows, workspaces);
    };
  }

  /** Whether a key ends {@code top}: not where it is text, nor where it goes back to the table. */
  boolean isEndedBy(String key) {
    return mode == Mode.TABLE && key.equals("q");
  }

  private Shown filtering(String key) {
    return switch (key) {
      case Keys.ENTER -> with(Mode.TABLE);
      case Keys.ESCAPE -> filter("").with(Mode.TABLE);
      case Keys.BACKSPACE ->
          filter.isEmpty()
              ? with(Mode.TABLE)
              : filter(filter.substring(0, filter.offsetByCodePoints(filter.length(), -1)));
      default -> Keys.isText(key) && filter.length() < MOST_FILTER ? filter(filter + key) : this;
    };
  }

  private Shown reading(String key) {
    return switch (key) {
      case "j", Keys.DOWN -> scrolled(scroll + 1);
      case "k", Keys.UP -> scrolled(scroll - 1);
      case " ", Keys.PAGE_DOWN -> scrolled(scroll + PAGE);
      case Keys.PAGE_UP -> scrolled(scroll - PAGE);
      case Keys.HOME -> scrolled(0);
      default -> with(Mode.TABLE).scrolled(0);
    };
  }

  private Shown table(String key, int columns, int rows, List<String> workspaces) {
    return switch (key) {
      case "j", Keys.DOWN -> select(selected + 1, rows);
      case "k", Keys.UP -> select(selected - 1, rows);
      case " ", Keys.PAGE_DOWN -> select(selected + PAGE, rows);
      case Keys.PAGE_UP -> select(selected - PAGE, rows);
      case "g", Keys.HOME -> select(0, rows);
      case "G", Keys.END -> select(rows - 1, rows);
      case Keys.TAB, "l", Keys.RIGHT -> to(view.next(1));
      case Keys.BACK_TAB, "h", Keys.LEFT -> to(view.next(-1));
      case "s" -> sorted(sortColumn + 1 >= columns ? -1 : sortColumn + 1, false);
      case "S", "r" -> sorted(sortColumn, !isReversed);
      case "/" -> with(Mode.FILTERING);
      case Keys.ESCAPE -> filter("");
      case "?" -> with(Mode.HELP).scrolled(0);
      case Keys.ENTER -> rows > 0 ? with(Mode.DETAILS).scrolled(0) : this;
      case "w" -> workspace(next(workspaces));
      default -> digit(key);
    };
  }

  private Shown digit(String key) {
    for (View each : View.values()) {
      if (key.length() == 1 && key.charAt(0) == each.key()) {
        return to(each);
      }
    }
    return this;
  }

  /** All, then each by itself. */
  private String next(List<String> workspaces) {
    int at = workspaces.indexOf(workspace);
    return at + 1 < workspaces.size() ? workspaces.get(at + 1) : "";
  }

  private Shown to(View other) {
    return new Shown(other, Mode.TABLE, 0, 0, -1, false, filter, workspace);
  }

  private Shown with(Mode other) {
    return new Shown(view, other, selected, scroll, sortColumn, isReversed, filter, workspace);
  }

  private Shown select(int row, int rows) {
    int to = Math.clamp(row, 0, Math.max(0, rows - 1));
    return new Shown(view, mode, to, scroll, sortColumn, isReversed, filter, workspace);
  }

  private Shown scrolled(int line) {
    int to = Math.max(0, line);
    return new Shown(view, mode, selected, to, sortColumn, isReversed, filter, workspace);
  }

  private Shown sorted(int column, boolean reversed) {
    return new Shown(view, mode, 0, scroll, column, reversed, filter, workspace);
  }

  private Shown filter(String text) {
    return new Shown(view, mode, 0, scroll, sortColumn, isReversed, text, workspace);
  }

  private Shown workspace(String digits) {
    return new Shown(view, mode, 0, scroll, sortColumn, isReversed, filter, digits);
  }
}
