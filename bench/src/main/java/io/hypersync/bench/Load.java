package io.hypersync.bench;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;

/**
 * The machine, and how busy it was: without that no figure means anything.
 *
 * @param machine on which
 * @param atStart load average before
 * @param atEnd load average after
 */
record Load(Machine machine, double atStart, double atEnd) {
  /** As one figure. */
  double average() {
    return (atStart + atEnd) / 2;
  }

  /** Two lines. */
  String text() {
    return String.format(
        Locale.ROOT,
        "%s%nload average %.1f at the start, %.1f at the end%n",
        machine.describe(),
        atStart,
        atEnd);
  }

  /** A new report for programs that begins with it. */
  ObjectNode json() {
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    tree.putObject("machine")
        .put("kernel", machine.kernel())
        .put("cpus", machine.cpus())
        .put("cpu_model", machine.cpuModel())
        .put("disk", machine.disk())
        .put("java", machine.java())
        .put("load_average_start", atStart)
        .put("load_average_end", atEnd);
    return tree;
  }
}
