package io.hypersync.runtime.hazard;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.model.hazard.Hazard;
import io.hypersync.model.text.Printable;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;

/** Hazards as JSON, with the keys of {@code docs/json.md}. */
public final class HazardJson {
  private static final long NS_PER_SECOND = 1_000_000_000L;

  /** RFC 3339 with nanoseconds (hypersync.md 9.4). */
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSSSSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private HazardJson() {}

  /** Adds an object for each hazard. */
  public static void add(List<Hazard> hazards, ArrayNode to) {
    for (Hazard hazard : hazards) {
      ObjectNode node =
          to.addObject()
              .put("kind", hazard.kind().text())
              .put("severity", hazard.kind().severity());
      switch (hazard) {
        case Hazard.Overlap overlap ->
            node.put("conflicts_with", overlap.conflictsWith())
                .put("agent", overlap.other().agent())
                .put("worker_id", overlap.other().worker().name());
        case Hazard.Reserved reserved ->
            node.put("agent", reserved.holder().agent())
                .put("pattern", reserved.holder().pattern())
                .put("exclusive", reserved.holder().exclusive());
        case Hazard.Advice _ -> {} // of nobody else
      }
      node.put("path", Printable.line(hazard.path())).put("node", hazard.node().toString());
    }
  }

  /** A time of an entry, {@code committed_at}: RFC 3339 in UTC with nanoseconds. */
  public static String time(long epochNs) {
    return TIME.format(
        Instant.ofEpochSecond(
            Math.floorDiv(epochNs, NS_PER_SECOND), Math.floorMod(epochNs, NS_PER_SECOND)));
  }
}
