package io.hypersync.cli.top;

/**
 * A column of a sheet, with what the help says of it.
 *
 * @param key in JSON
 * @param heading on the screen
 * @param isNumber aligned to the right, and sorted with the largest first
 * @param what it is, with its unit
 * @param why it matters
 * @param worry when
 */
record Column(String key, String heading, boolean isNumber, String what, String why, String worry) {

  static Column text(String key, String heading, String what, String why, String worry) {
    return new Column(key, heading, false, what, why, worry);
  }

  static Column number(String key, String heading, String what, String why, String worry) {
    return new Column(key, heading, true, what, why, worry);
  }
}
