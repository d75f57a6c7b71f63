package io.hypersync.runtime.background;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import io.hypersync.runtime.background.BackgroundTurns.Standing;
import org.jspecify.annotations.Nullable;

/** Whose turn it is in the background, as reports say it; {@code docs/json.md} has the keys. */
public final class BackgroundStatus {
  private BackgroundStatus() {}

  /** What is known of turns; null in JSON if nobody else does this work. */
  public static JsonNode json(BackgroundTurns turns) {
    @Nullable Standing known = turns.standing();
    if (known == null) {
      return NullNode.getInstance();
    }
    return JsonNodeFactory.instance
        .objectNode()
        .put("holder", known.holder().isEmpty() ? null : known.holder())
        .put("here", known.isHere())
        .put("since_ms", known.sinceMs() == 0 ? null : (Long) known.sinceMs())
        .put("revision", known.revision())
        .put("problem", known.problem().isEmpty() ? null : known.problem());
  }
}
