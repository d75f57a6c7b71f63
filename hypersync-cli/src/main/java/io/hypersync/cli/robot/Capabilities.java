package io.hypersync.cli.robot;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.Version;

/** What robot commands there are, for programs that ask before they call. */
final class Capabilities {
  private Capabilities() {}

  static ObjectNode json() {
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    tree.set("tool", Version.json());
    ArrayNode commands = tree.putArray("commands");
    for (RobotAction action : RobotAction.values()) {
      ObjectNode node = commands.addObject();
      node.put("name", "robot " + action.word());
      node.put("description", action.description());
      ArrayNode options = node.putArray("options");
      action.options().forEach(options::add);
      node.put("schema", "docs/schemas/robot-" + action.word() + ".json");
    }
    ArrayNode common = tree.putArray("common_options");
    RobotAction.OF_ALL.stream().sorted().forEach(common::add);
    ObjectNode codes = tree.putObject("exit_codes");
    codes.put("0", "done");
    codes.put("1", "an error, or a command line that makes no sense");
    codes.put("2", "not available: no daemon");
    ArrayNode errors = tree.putArray("error_codes");
    for (RobotError.Code code : RobotError.Code.values()) {
      errors.add(code.name());
    }
    return tree;
  }
}
