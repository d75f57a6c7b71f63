package io.hypersync.cli.top;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * What came of a question.
 *
 * @param socket of the daemon that was asked
 * @param role of the daemon, by the name of its socket
 * @param atNs when, by the monotonic clock
 */
record Observation(String socket, String role, Question question, Outcome outcome, long atNs) {
  /** How a question ended. */
  sealed interface Outcome {
    /** The daemon has answered. */
    record Answer(JsonNode value) implements Outcome {}

    /** The daemon has answered that it cannot, such as one of another version. */
    record Refused(String why) implements Outcome {}

    /** It listens, and has not answered in time. */
    record Silent(String why) implements Outcome {}

    /** Nobody listens. */
    record Dead(String why) implements Outcome {}
  }
}
