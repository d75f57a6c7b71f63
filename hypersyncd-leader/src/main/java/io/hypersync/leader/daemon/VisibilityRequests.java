package io.hypersync.leader.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.visibility.Visibility;
import io.hypersync.leader.visibility.VisibleEverywhere;
import io.hypersync.runtime.agent.AgentQueries;
import io.hypersync.runtime.agent.Clock;
import java.util.Arrays;

/** Says and sets where changes are visible when their calls return; {@code docs/json.md}. */
final class VisibilityRequests {
  private static final long NS_PER_MS = 1_000_000;

  private final AgentQueries<LeaderAgent> questions;

  VisibilityRequests(AgentQueries<LeaderAgent> questions) {
    this.questions = questions;
  }

  /**
   * Answers with what {@link #json} says.
   *
   * @param args {@code mode} to change it, until the leader is started again
   */
  ObjectNode run(JsonNode args) {
    String wanted = args.path("mode").asText("");
    return questions.ask(
        agent -> {
          long nowNs = Clock.SYSTEM.monotonicNs();
          Arrays.stream(Visibility.values())
              .filter(mode -> mode.text().equals(wanted))
              .forEach(mode -> agent.visibility().turn(mode, nowNs));
          return json(agent, nowNs);
        });
  }

  /** The mode, and who is waited for; on the agent's thread. */
  static ObjectNode json(LeaderAgent agent, long nowNs) {
    VisibleEverywhere visibility = agent.visibility();
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("mode", visibility.mode().text());
    json.put("at_start", visibility.options().mode().text());
    json.put("in_force", visibility.inForce(nowNs));
    json.put("timeout_ms", visibility.options().timeoutNs() / NS_PER_MS);
    json.put("lease_ms", visibility.options().leaseNs() / NS_PER_MS);
    json.put("waiting", agent.intentHandler().unacknowledged());
    json.put("cut_offs", visibility.cutOffs());
    ArrayNode workers = json.putArray("workers");
    for (VisibleEverywhere.Counted each : visibility.workers(nowNs)) {
      workers
          .addObject()
          .put("worker_id", each.worker().name())
          .put("connected", each.isOnline())
          .put("counted", each.isCounted())
          .put("lease", each.mayHoldLease())
          .put("behind", each.behind())
          .put("waited_for_ms", each.blocksNs() / NS_PER_MS)
          .put("paused_ms", each.pausedNs() / NS_PER_MS);
    }
    return json;
  }
}
