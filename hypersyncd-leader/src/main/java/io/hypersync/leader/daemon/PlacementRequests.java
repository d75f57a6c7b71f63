package io.hypersync.leader.daemon;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.placement.Measure;
import io.hypersync.leader.placement.Placement;
import io.hypersync.leader.placement.Placement.Candidate;
import io.hypersync.leader.placement.Placement.Exclusion;
import io.hypersync.leader.placement.Placement.Pick;
import io.hypersync.leader.placement.Placement.Share;
import io.hypersync.leader.placement.Reason;
import io.hypersync.leader.placement.Scheduler;
import io.hypersync.leader.session.WorkerSession;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.text.Printable;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.agent.AgentQueries;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Answers requests for placements with the keys of {@code docs/json.md} (hypersync.md 15). The
 * decision is made on the agent's thread; what is written is made of it on the asker's.
 */
final class PlacementRequests {
  private static final long NS_PER_S = 1_000_000_000L;
  private static final double DIGITS = 10_000;

  private final AgentQueries<LeaderAgent> questions;

  PlacementRequests(AgentQueries<LeaderAgent> questions) {
    this.questions = questions;
  }

  /** A decision, and where its workers are connected from. */
  private record Placed(Placement decision, Map<WorkerId, String> hosts) {}

  /**
   * Carries out a request.
   *
   * @param args {@code count} and perhaps {@code session} to place agents; {@code decisions} to get
   *     the last ones
   * @throws UserError if the request makes no sense
   */
  ObjectNode run(ObjectNode args) {
    if (args.path("decisions").asBoolean()) {
      ObjectNode all = JsonNodeFactory.instance.objectNode();
      ArrayNode list = all.putArray("decisions");
      for (Placement decision : questions.ask(agent -> agent.scheduler().decisions())) {
        list.add(json(new Placed(decision, Map.of())));
      }
      return all;
    }
    int count = args.path("count").asInt();
    if (count < 1 || count > Scheduler.MOST_AGENTS) {
      throw new UserError(
          "how many agents? Expected a whole number from 1 to " + Scheduler.MOST_AGENTS,
          "",
          UserError.USAGE);
    }
    String session = args.path("session").asText("");
    if (session.length() > Scheduler.MOST_SESSION) {
      throw new UserError(
          "the name of the session is longer than " + Scheduler.MOST_SESSION + " characters",
          "",
          UserError.USAGE);
    }
    return json(questions.ask(agent -> place(agent, count, session)));
  }

  private static Placed place(LeaderAgent agent, int count, String session) {
    Placement decision = agent.scheduler().place(count, session);
    Map<WorkerId, String> hosts = new HashMap<>();
    for (Share share : decision.shares()) {
      WorkerSession connection = agent.sessions().of(share.worker());
      if (connection != null) {
        hosts.put(share.worker(), host(connection.address()));
      }
    }
    return new Placed(decision, hosts);
  }

  private static String host(String address) {
    int colon = address.lastIndexOf(':');
    return colon < 0 ? address : address.substring(0, colon).replace("[", "").replace("]", "");
  }

  private static ObjectNode json(Placed placed) {
    Placement decision = placed.decision;
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("decision", decision.number());
    json.put("decided_at", time(decision.atNs()));
    json.put("session", Printable.line(decision.session()));
    json.put("count", decision.wanted());
    json.put("unplaced", decision.unplaced());
    ArrayNode placements = json.putArray("placements");
    for (Share share : decision.shares()) {
      ObjectNode node = placements.addObject().put("worker", share.worker().name());
      String host = placed.hosts.get(share.worker());
      if (host != null) {
        node.put("host", host);
      }
      node.put("count", share.count());
    }
    ArrayNode excluded = json.putArray("excluded");
    for (Exclusion each : decision.excluded()) {
      excluded
          .addObject()
          .put("worker", each.worker().name())
          .set("reasons", reasons(each.reasons()));
    }
    json.set("evidence", evidence(decision));
    return json;
  }

  private static ObjectNode evidence(Placement decision) {
    ObjectNode evidence = JsonNodeFactory.instance.objectNode();
    evidence.put("seed", Long.toUnsignedString(decision.seed()));
    ArrayNode candidates = evidence.putArray("candidates");
    for (Candidate each : decision.candidates()) {
      ObjectNode node = candidates.addObject().put("worker", each.worker().name());
      node.put("agents", each.agents());
      node.put("cost_mean", rounded(each.mean()));
      node.put("cost_deviation", rounded(each.deviation()));
      node.put("observations", rounded(each.observations()));
      ObjectNode penalties = node.putObject("penalties");
      for (Measure measure : Measure.values()) {
        penalties.put(measure.key(), rounded(each.penalties().getOrDefault(measure, 0.0)));
      }
    }
    ArrayNode picks = evidence.putArray("picks");
    for (Pick pick : decision.picks()) {
      ObjectNode sampled =
          picks.addObject().put("worker", pick.chosen().name()).putObject("sampled_costs");
      pick.sampled().forEach((worker, cost) -> sampled.put(worker.name(), rounded(cost)));
    }
    return evidence;
  }

  /** Why a worker gets no agents. */
  static ArrayNode reasons(List<Reason> reasons) {
    ArrayNode array = JsonNodeFactory.instance.arrayNode();
    for (Reason reason : reasons) {
      array.addObject().put("code", reason.code()).put("text", reason.text());
    }
    return array;
  }

  static double rounded(double value) {
    return Math.round(DIGITS * value) / DIGITS;
  }

  private static String time(long epochNs) {
    return Instant.ofEpochSecond(Math.floorDiv(epochNs, NS_PER_S), Math.floorMod(epochNs, NS_PER_S))
        .toString();
  }
}
