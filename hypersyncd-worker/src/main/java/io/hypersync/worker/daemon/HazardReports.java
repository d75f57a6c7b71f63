package io.hypersync.worker.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.model.hazard.Author;
import io.hypersync.model.hazard.Hazard;
import io.hypersync.model.text.Printable;
import io.hypersync.runtime.hazard.HazardJson;
import io.hypersync.worker.hazard.HazardNotice;
import io.hypersync.worker.hazard.HazardNotices;
import java.util.List;
import java.util.stream.Collectors;

/** Hazards that a worker has seen: as JSON with the keys of {@code docs/json.md}, and as lines. */
final class HazardReports {
  /** How many are in the status. */
  private static final int IN_STATUS = 10;

  private static final int MOST = 100_000;
  private static final int NS_PER_MS = 1_000_000;

  private HazardReports() {}

  /** For the status: counts, and the latest that concern this worker. */
  static ObjectNode status(HazardNotices notices) {
    ObjectNode status = JsonNodeFactory.instance.objectNode();
    status.put("seen", notices.seen());
    status.put("here", notices.here());
    status.put("unreadable", notices.senseless());
    add(notices.newest(IN_STATUS, true), status.putArray("latest"));
    return status;
  }

  /**
   * The answer to the admin command {@code hazards}.
   *
   * @param args {@code after}: those behind this entry; else {@code tail}: so many of the newest
   * @param visible the newest entry that the mount shows
   */
  static ObjectNode entries(HazardNotices notices, JsonNode args, long visible) {
    List<HazardNotice> found =
        args.has("after")
            ? notices.after(args.path("after").asLong())
            : notices.newest(Math.clamp(args.path("tail").asInt(20), 0, MOST), false);
    ObjectNode answer = JsonNodeFactory.instance.objectNode().put("commit_index", visible);
    add(found, answer.putArray("entries"));
    return answer;
  }

  private static void add(List<HazardNotice> notices, ArrayNode to) {
    for (HazardNotice notice : notices) {
      ObjectNode node =
          to.addObject()
              .put("log_index", notice.index())
              .put("committed_at", HazardJson.time(notice.committedAtNs()))
              .put("noticed_at", HazardJson.time(notice.noticedAtNs()))
              .put("notice_ms", (notice.noticedAtNs() - notice.committedAtNs()) / NS_PER_MS)
              .put("worker_id", notice.author().worker().name())
              .put("agent", notice.author().agent())
              .put("op", notice.op())
              .put("here", notice.isHere());
      HazardJson.add(notice.hazards(), node.putArray("hazards"));
    }
  }

  /** One notice in one line, for the log: everything in it is escaped. */
  static String line(HazardNotice notice) {
    return "hazard: entry "
        + notice.index()
        + " by "
        + who(notice.author())
        + ": "
        + notice.hazards().stream().map(HazardReports::line).collect(Collectors.joining("; "));
  }

  private static String line(Hazard hazard) {
    String with =
        switch (hazard) {
          case Hazard.Overlap overlap ->
              " with entry " + overlap.conflictsWith() + " of " + who(overlap.other());
          case Hazard.Reserved reserved ->
              " with "
                  + Printable.line(reserved.holder().pattern(), 200)
                  + " of "
                  + Printable.line(reserved.holder().agent());
          case Hazard.Advice _ -> "";
        };
    return hazard.kind().text() + with + ": " + path(hazard);
  }

  private static String path(Hazard hazard) {
    return hazard.path().length == 0
        ? "node " + hazard.node()
        : Printable.line(Printable.line(hazard.path()), 300);
  }

  private static String who(Author author) {
    String worker = author.worker().name();
    return author.agent().isEmpty() ? worker : Printable.line(author.agent()) + "@" + worker;
  }
}
