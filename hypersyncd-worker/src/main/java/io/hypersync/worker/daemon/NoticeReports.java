package io.hypersync.worker.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.model.text.Printable;
import io.hypersync.runtime.hazard.HazardJson;
import io.hypersync.wire.message.LeaderMessage.Notice;
import io.hypersync.worker.notice.Notices;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/** What the leader has told a worker besides the log, with the keys of {@code docs/json.md}. */
final class NoticeReports {
  private NoticeReports() {}

  /** For the status: counts. */
  static ObjectNode status(Notices notices) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("taken", notices.taken())
        .put("missed", notices.missed())
        .put("repeated", notices.repeated());
  }

  /**
   * The answer to the admin command {@code events}.
   *
   * @param args {@code tail}, how many of the latest; or {@code after}, the number of a notice,
   *     with {@code run}, the session that has numbered it
   */
  static ObjectNode events(Notices notices, JsonNode args) {
    String run = HexFormat.of().toHexDigits(notices.session());
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("run", run);
    json.put("newest", notices.seen());
    List<Notices.Taken> told = notices.latest();
    if (args.has("after")) {
      long after = args.path("run").asText().equals(run) ? args.path("after").asLong() : 0;
      told =
          told.stream()
              .filter(each -> each.session() == notices.session() && each.notice().number() > after)
              .toList();
    }
    int tail = Math.clamp(args.path("tail").asInt(Notices.MOST), 0, Notices.MOST);
    ArrayNode list = json.putArray("events");
    told.subList(Math.max(0, told.size() - tail), told.size())
        .forEach(each -> list.add(json(each)));
    return json;
  }

  private static ObjectNode json(Notices.Taken taken) {
    Notice notice = taken.notice();
    return JsonNodeFactory.instance
        .objectNode()
        .put("number", notice.number())
        .put("at", HazardJson.time(notice.atNs()))
        .put("kind", notice.kind().name().toLowerCase(Locale.ROOT))
        .put("worker_id", notice.about().name())
        .put("session", HexFormat.of().toHexDigits(taken.session()))
        .put("address", "")
        .put("reason", Printable.line(notice.text()));
  }
}
