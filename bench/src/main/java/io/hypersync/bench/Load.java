package io.hypersync.bench;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;

/**
 * The machine and its load average, without which no figure can be interpreted.
 *
 * @param machine that was measured
 * @param atStart load average before the run
 * @param atEnd load average after the run
 */
record Load(Machine machine, double atStart, double atEnd) {
  /** Returns the mean of both load averages. */
  double average() {
    return (atStart + atEnd) / 2;
  }

  /** Returns two lines of text. */
  String text() {
    return String.format(
        Locale.ROOT,
        "%s%nload average %.1f at the start, %.1f at the end%n",
        machine.describe(),
        atStart,
        atEnd);
  }

  /** Returns a new JSON report that starts with these figures. */
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
