package io.hypersync.cli.top;

import java.util.List;
import java.util.Locale;

/**
 * A row of a sheet.
 *
 * @param workspace the first digits of the workspace that it is about; empty if of none
 * @param cells one for each column
 * @param details what is shown below the cells when the row is opened, such as the command to undo
 */
record Row(String workspace, List<Cell> cells, List<String> details) {
  Row(String workspace, List<Cell> cells) {
    this(workspace, cells, List.of());
  }

  /** Whether a text is in one of its cells; letters are the same in either case. */
  boolean has(String lowerCase) {
    for (Cell cell : cells) {
      if (cell.text().toLowerCase(Locale.ROOT).contains(lowerCase)) {
        return true;
      }
    }
    return false;
  }
}
