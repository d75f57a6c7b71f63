package io.hypersync.cli.reload;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What has come of reading a configuration again.
 *
 * @param changed what holds from now on, and did not before, or may not have
 * @param waiting what holds when the process is started again
 * @param ignored one line for each key that was given and has no effect
 */
public record Reloaded(List<Change> changed, List<Change> waiting, List<String> ignored) {
  /** As {@code docs/json.md} describes it. */
  public ObjectNode json() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    list(json.putArray("changed"), changed);
    list(json.putArray("needs_restart"), waiting);
    ArrayNode unused = json.putArray("ignored");
    ignored.forEach(unused::add);
    return json;
  }

  private static void list(ArrayNode array, List<Change> changes) {
    changes.forEach(
        each ->
            array
                .addObject()
                .put("key", each.key())
                .put("before", each.before())
                .put("after", each.after()));
  }

  /** One line for the log. */
  public String line() {
    if (changed.isEmpty() && waiting.isEmpty()) {
      return "nothing has changed";
    }
    return (changed.isEmpty() ? "nothing changes now" : "in force: " + texts(changed))
        + (waiting.isEmpty() ? "" : "; needs a restart: " + texts(waiting));
  }

  private static String texts(List<Change> changes) {
    return changes.stream()
        .map(each -> each.key() + (each.after().isEmpty() ? "" : " = " + each.after()))
        .collect(Collectors.joining(", "));
  }
}
