package io.hypersync.cli.top;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What a daemon is asked next, so that it tells only what is new. Pure. Not thread-safe: each
 * daemon's thread has one of its own.
 */
final class Cursor {
  private static final int NO_PROFILE = -1;

  /** So many hazards at first, of so many of the newest entries: the log is read for them. */
  private static final int HAZARDS = 200;

  private static final int WITHIN = 20_000;

  /** A screen has fewer lines, mostly; and at each look so many are sent. */
  private static final int ENTRIES = 200;

  private static final int LOCKS = 200;
  private static final int PATHS = 100;

  private JsonNode status = MissingNode.getInstance();
  private long hazardsAfter = -1;
  private long profile = NO_PROFILE;

  ObjectNode arguments(Question question) {
    ObjectNode args = JsonNodeFactory.instance.objectNode();
    return switch (question) {
      case STATUS, STAGES -> args;
      case HAZARDS ->
          hazardsAfter < 0
              ? args.put("tail", HAZARDS).put("within", WITHIN)
              : args.put("after", hazardsAfter);
      case LOG -> args.put("tail", ENTRIES);
      case LOCKS -> args.put("limit", LOCKS);
      case HOT ->
          profile == NO_PROFILE
              ? args.put("do", "start")
              : args.put("do", "stop").put("profile", profile).put("top", PATHS);
    };
  }

  /** Notes an answer. */
  void accept(Question question, JsonNode answer) {
    if (question == Question.STATUS) {
      if (!Watched.isSameRun(status, answer)) {
        hazardsAfter = -1; // those of the run before are forgotten with it
      }
      status = answer;
    } else if (question == Question.HAZARDS) {
      long newest = answer.path("commit_index").asLong();
      // A log that is shorter than before is another one: its hazards are asked for anew.
      hazardsAfter = newest < hazardsAfter ? -1 : newest;
    } else if (question == Question.HOT) {
      profile = profile == NO_PROFILE ? answer.path("profile").asLong(NO_PROFILE) : NO_PROFILE;
    }
  }

  /** Notes that a question was refused, or not answered: a profile has ended then. */
  void failed(Question question) {
    if (question == Question.HOT) {
      profile = NO_PROFILE;
    }
  }

  /** Whether a profile of this daemon is under way. */
  boolean isProfiling() {
    return profile != NO_PROFILE;
  }
}
