package io.hypersync.cli.robot;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * What every robot command's answer has around its own keys: NTM's envelope, version 1.0.0. Times
 * are of whole seconds.
 */
final class Envelope {
  private static final String VERSION = "1.0.0";

  private Envelope() {}

  /**
   * An answer.
   *
   * @param command as it was typed, without its options
   * @param payload the keys of the answer
   * @param hints what to tell an agent that reads it
   */
  static ObjectNode answer(String command, Moment moment, ObjectNode payload, Hints hints) {
    ObjectNode tree = begin(command, true, 0, moment);
    tree.setAll(payload);
    ObjectNode told = tree.putObject("_agent_hints");
    told.put("summary", hints.summary);
    if (!hints.suggestedAction.isEmpty()) {
      told.put("suggested_action", hints.suggestedAction);
    }
    ArrayNode warnings = told.putArray("warnings");
    hints.warnings.forEach(warnings::add);
    return tree;
  }

  /** A failure. */
  static ObjectNode failure(String command, Moment moment, RobotError error) {
    ObjectNode tree = begin(command, false, error.code().exitCode(), moment);
    tree.put("error", String.valueOf(error.getMessage()));
    tree.put("error_code", error.code().name());
    if (!error.hint().isEmpty()) {
      tree.put("hint", error.hint());
    }
    return tree;
  }

  /**
   * When an answer was made, and since when it was worked on.
   *
   * @param now by the wall clock
   */
  record Moment(Instant begun, Instant now) {}

  /**
   * What an agent is told beside the data.
   *
   * @param summary one sentence
   * @param suggestedAction a command line, or empty
   * @param warnings sentences
   */
  record Hints(String summary, String suggestedAction, List<String> warnings) {}

  /** A time as the envelope has it. */
  static String time(Instant time) {
    return time.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  private static ObjectNode begin(String command, boolean success, int exitCode, Moment moment) {
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    tree.put("success", success);
    tree.put("timestamp", time(moment.now));
    tree.put("version", VERSION);
    tree.put("output_format", "json");
    tree.putObject("_meta")
        .put("command", command)
        .put("duration_ms", Math.max(0, Duration.between(moment.begun, moment.now).toMillis()))
        .put("exit_code", exitCode);
    return tree;
  }
}
