package io.hypersync.leader.daemon;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.leader.hazard.Enforcement;
import io.hypersync.leader.reservation.Reservation;
import io.hypersync.leader.reservation.ReservationConflict;
import io.hypersync.leader.reservation.ReservationSource;
import io.hypersync.leader.reservation.ReservationView;
import io.hypersync.leader.reservation.SourceFreshness;
import io.hypersync.model.text.Printable;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.hazard.HazardJson;
import java.time.Instant;
import java.util.List;

/** What is reserved as JSON, with the keys of {@code docs/json.md} (hypersync.md 10.3). */
final class ReservationStatus {
  private static final long NS_PER_MS = 1_000_000;
  private static final long NS_PER_S = 1_000_000_000;

  /** No more conflicts than these are looked for. */
  private static final int MOST_CONFLICTS = 1_000;

  private final ReservationSource source;
  private final Clock clock;

  ReservationStatus(ReservationSource source, Clock clock) {
    this.source = source;
    this.clock = clock;
  }

  /** The source and how many there are, for the status. */
  ObjectNode counts() {
    ReservationView view = source.view();
    long nowNs = clock.epochNs();
    return counts(view, view.table().active(nowNs), view.table().conflicts(nowNs, MOST_CONFLICTS));
  }

  /** The same, and each reservation and conflict. */
  ObjectNode all() {
    ReservationView view = source.view();
    long nowNs = clock.epochNs();
    List<Reservation> active = view.table().active(nowNs);
    List<ReservationConflict> conflicts = view.table().conflicts(nowNs, MOST_CONFLICTS);
    ObjectNode json = counts(view, active, conflicts);
    ArrayNode held = json.putArray("held");
    active.forEach(reservation -> held.add(json(reservation, nowNs)));
    ArrayNode pairs = json.putArray("conflicting");
    for (ReservationConflict conflict : conflicts) {
      pairs.addArray().add(json(conflict.one(), nowNs)).add(json(conflict.other(), nowNs));
    }
    return json;
  }

  private ObjectNode counts(
      ReservationView view, List<Reservation> active, List<ReservationConflict> conflicts) {
    SourceFreshness freshness = source.freshness(view);
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("source", freshness.source().text());
    json.put("fresh", freshness.isFresh());
    json.put("age_ms", freshness.ageNs() < 0 ? null : (Long) (freshness.ageNs() / NS_PER_MS));
    json.put("last_error", Printable.line(freshness.lastError()));
    json.put("active", active.size());
    json.put(
        "exclusive",
        active.stream().filter(reservation -> reservation.holder().exclusive()).count());
    json.put("conflicts", conflicts.size());
    json.put("elsewhere", view.table().elsewhere());
    json.put("dropped", view.table().dropped());
    json.put("files", view.files());
    json.put("unusable", view.unusable());
    json.put("damaged", view.damaged());
    json.put("unread", view.unread());
    json.put("broken_off", view.table().brokenOff());
    return json;
  }

  /** Whether changes are refused because of reservations, and which ones were. */
  static ObjectNode enforcement(Enforcement enforcement, long nowNs) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("enforcement", enforcement.state(nowNs).text());
    json.put("refused", enforcement.refused());
    ArrayNode refusals = json.putArray("refusals");
    for (Enforcement.Refusal refusal : enforcement.latest()) {
      refusals
          .addObject()
          .put("refused_at", HazardJson.time(refusal.timeNs()))
          .put("agent", Printable.line(refusal.author().agent()))
          .put("worker_id", refusal.author().worker().name())
          .put("path", Printable.line(refusal.path()))
          .put("holder", Printable.line(refusal.holder().agent()))
          .put("pattern", Printable.line(refusal.holder().pattern()));
    }
    return json;
  }

  private static ObjectNode json(Reservation reservation, long nowNs) {
    long ns = reservation.expiresNs();
    return JsonNodeFactory.instance
        .objectNode()
        .put("agent", Printable.line(reservation.holder().agent()))
        .put("pattern", Printable.line(reservation.holder().pattern()))
        .put("exclusive", reservation.holder().exclusive())
        .put("project", Printable.line(reservation.project()))
        .put(
            "expires_at",
            Instant.ofEpochSecond(Math.floorDiv(ns, NS_PER_S), Math.floorMod(ns, NS_PER_S))
                .toString())
        .put("expires_in_ms", (ns - nowNs) / NS_PER_MS)
        .put("id", reservation.id());
  }
}
