package io.hypersync.leader.mail;

import com.fasterxml.jackson.databind.JsonNode;

/** How a call of Agent Mail's server has ended. */
public sealed interface CallOutcome {
  /** It was done. */
  record Answered(JsonNode value) implements CallOutcome {}

  /** The server has decided not to do it, and would decide so again. */
  record Refused(String why) implements CallOutcome {}

  /** It was not done: the server was not reached, or does not talk to us. */
  record NotDone(String why) implements CallOutcome {}

  /** Nobody knows whether it was done: there was no answer, or one that makes no sense. */
  record Unsure(String why) implements CallOutcome {}
}
