package io.hypersync.leader.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.presence.Peer;
import io.hypersync.leader.presence.Presence;
import io.hypersync.leader.presence.PresenceEvent;
import io.hypersync.leader.presence.PresenceEvents;
import io.hypersync.leader.presence.ResumeVerdict;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.text.Printable;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.agent.AgentQueries;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.hazard.HazardJson;
import io.hypersync.wire.message.LeaderMessage.Notice;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalLong;

/** Answers who is there, and what has happened, with the keys of {@code docs/json.md}. */
final class PresenceRequests {
  private static final long NS_PER_MS = 1_000_000;

  private final AgentQueries<LeaderAgent> questions;

  PresenceRequests(AgentQueries<LeaderAgent> questions) {
    this.questions = questions;
  }

  private record Seen(List<Peer> peers, ObjectNode counts, long leaseNs) {}

  private record Happened(String run, long newest, List<PresenceEvent> events) {}

  /**
   * The workers that are there.
   *
   * @param args {@code all} to say of each whether it has a connection at the moment
   */
  ObjectNode peers(JsonNode args) {
    boolean all = args.path("all").asBoolean();
    Seen seen =
        questions.ask(
            agent ->
                new Seen(
                    agent.presence().peers(),
                    counts(agent.presence()),
                    agent.presence().leaseNs()));
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("lease_ms", seen.leaseNs() / NS_PER_MS);
    ArrayNode peers = json.putArray("peers");
    long nowNs = Clock.SYSTEM.monotonicNs();
    seen.peers().forEach(peer -> peers.add(json(peer, all, nowNs)));
    if (all) {
      json.set("counts", seen.counts());
    }
    return json;
  }

  private static ObjectNode json(Peer peer, boolean all, long nowNs) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("worker_id", peer.worker().name());
    json.put("address", Printable.line(peer.address()));
    json.put("joined_at", HazardJson.time(peer.joinedEpochNs()));
    if (all) {
      json.put("transport", peer.isOnline() ? "online" : "offline");
      json.put("since_ms", (nowNs - peer.sinceNs()) / NS_PER_MS);
      json.put(
          "lease_left_ms",
          peer.isOnline() ? null : (Long) Math.max(0, (peer.untilNs() - nowNs) / NS_PER_MS));
      json.put("session", HexFormat.of().toHexDigits(peer.session()));
      json.put("resumes", peer.resumes());
      json.put("reason", Printable.line(peer.reason()));
    }
    return json;
  }

  /**
   * What has happened to workers.
   *
   * @param args {@code tail}, how many of the latest; or {@code after}, the number of an event,
   *     with {@code run}, the run of the leader that has numbered it; {@code all} to tell of short
   *     cuts, too
   */
  ObjectNode events(JsonNode args) {
    boolean all = args.path("all").asBoolean();
    long tail = args.path("tail").asLong(PresenceEvents.MAX);
    String known = args.path("run").asText("");
    Happened happened =
        questions.ask(
            agent -> {
              String run = HexFormat.of().toHexDigits(agent.epoch());
              long after = known.equals(run) ? args.path("after").asLong() : 0;
              PresenceEvents events = agent.presence().events();
              return new Happened(run, events.newest(), events.after(after));
            });
    List<PresenceEvent> told =
        happened.events().stream().filter(event -> all || event.kind().isSeenByAll()).toList();
    int skipped = (int) Math.max(0, told.size() - Math.max(0, tail));
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("run", happened.run());
    json.put("newest", happened.newest());
    ArrayNode list = json.putArray("events");
    told.subList(skipped, told.size()).forEach(event -> list.add(json(event)));
    return json;
  }

  private static ObjectNode json(PresenceEvent event) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("number", event.number())
        .put("at", HazardJson.time(event.epochNs()))
        .put("kind", event.kind().text())
        .put("worker_id", event.worker().name())
        .put("session", HexFormat.of().toHexDigits(event.session()))
        .put("address", Printable.line(event.address()))
        .put("reason", Printable.line(event.reason()));
  }

  /**
   * Tells the people of a worker's host something: at once, or when the worker is back.
   *
   * @param args {@code worker} and {@code text}, 1 to {@link Notice#MAX_TEXT} characters
   * @throws UserError if there is no such worker, or for wrong arguments
   */
  ObjectNode message(JsonNode args) {
    String text = args.path("text").asText();
    if (text.isBlank() || text.length() > Notice.MAX_TEXT) {
      throw new UserError(
          "a message has 1 to " + Notice.MAX_TEXT + " characters, this one " + text.length(),
          "",
          UserError.USAGE);
    }
    String name = args.path("worker").asText();
    WorkerId worker;
    try {
      worker = new WorkerId(name);
    } catch (IllegalArgumentException e) {
      throw noSuchWorker(name);
    }
    record Sent(OptionalLong number, boolean isTold) {}
    Sent sent =
        questions.ask(
            agent ->
                new Sent(
                    agent.notices().post(worker, Notice.Kind.MESSAGE, text),
                    agent.notices().isTold(worker)));
    return JsonNodeFactory.instance
        .objectNode()
        .put("worker_id", worker.name())
        .put("number", sent.number().orElseThrow(() -> noSuchWorker(name)))
        .put("waits", !sent.isTold());
  }

  private static UserError noSuchWorker(String name) {
    return new UserError(
        "worker " + Printable.line(name, 100) + " is not there", "See who is: ./hypersync peers");
  }

  /** How many workers are there, and what there was of events and tokens; on the agent's thread. */
  static ObjectNode counts(Presence presence) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    List<Peer> peers = presence.peers();
    json.put("online", peers.stream().filter(Peer::isOnline).count());
    json.put("offline", peers.stream().filter(peer -> !peer.isOnline()).count());
    for (PresenceEvent.Kind kind : PresenceEvent.Kind.values()) {
      json.put(kind.text(), presence.events().count(kind));
    }
    ObjectNode tokens = json.putObject("resume_tokens");
    for (ResumeVerdict verdict : ResumeVerdict.values()) {
      tokens.put(verdict.text(), presence.count(verdict));
    }
    return json;
  }
}
