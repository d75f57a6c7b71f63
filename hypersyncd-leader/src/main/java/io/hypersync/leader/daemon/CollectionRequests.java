package io.hypersync.leader.daemon;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.collection.CollectionManager;
import io.hypersync.leader.port.CollectionReport;
import io.hypersync.leader.port.CollectionReport.Pin;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.agent.AgentQueries;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The admin command {@code gc}. Its argument {@code do} is {@code status}, {@code run} or {@code
 * dry-run}. The last two answer at once, with the number that the run has in {@code runs} when it
 * is over.
 */
final class CollectionRequests {
  private static final long NS_PER_MS = 1_000_000;

  private final AgentQueries<LeaderAgent> agent;
  private final CollectionThread thread;

  CollectionRequests(AgentQueries<LeaderAgent> agent, CollectionThread thread) {
    this.agent = agent;
    this.thread = thread;
  }

  ObjectNode run(ObjectNode args) {
    String action = args.path("do").asText();
    return switch (action) {
      case "status" ->
          agent
              .ask(leader -> json(leader.collections()).put("epoch", epoch(leader)))
              .put("progress", thread.progress());
      case "run" -> asked(false);
      case "dry-run" -> asked(true);
      default -> throw new UserError("there is nothing called \"" + action + "\" for gc", "");
    };
  }

  private ObjectNode asked(boolean dryRun) {
    return agent.ask(
        leader ->
            JsonNodeFactory.instance
                .objectNode()
                .put("number", leader.collections().ask(dryRun))
                .put("epoch", epoch(leader)));
  }

  /** Numbers of collections are those of one run of the leader. */
  private static String epoch(LeaderAgent leader) {
    return Long.toHexString(leader.epoch());
  }

  /** What is known of collections; for the status, too. */
  static ObjectNode json(CollectionManager collections) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("running", collections.isRunning());
    node.put("ended", collections.endedSoFar());
    node.put("failed", collections.failedSoFar());
    node.put("last_failure", collections.lastFailure());
    node.put("collected_through", collections.through());
    ArrayNode runs = node.putArray("runs");
    for (CollectionManager.Ended run : collections.endedRuns()) {
      runs.addObject()
          .put("number", run.number())
          .put("dry_run", run.isDryRun())
          .put("failure", run.failure());
    }
    node.set("last", report(collections.last()));
    return node;
  }

  private static @Nullable ObjectNode report(@Nullable CollectionReport report) {
    if (report == null) {
      return null;
    }
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("dry_run", report.isDryRun());
    node.put("index", report.headIndex());
    node.put("log_after", report.logAfter());
    node.put("bytes_live", report.liveBytes());
    node.put("bytes_pinned", report.pinnedBytes());
    node.put("bytes_dead", report.deadBytes());
    node.put("bytes_freed", report.freedBytes());
    node.put("bytes_copied", report.copiedBytes());
    node.put("chunks_removed", report.chunksRemoved());
    node.put("unreadable_chunks", report.unreadable());
    node.put("pages_read", report.pages());
    node.put("entries_read", report.entries());
    node.put("took_ms", report.tookNs() / NS_PER_MS);
    ArrayNode pins = node.putArray("pins");
    for (Pin pin : report.pins()) {
      ObjectNode each = pins.addObject();
      each.put("kind", pin.kind().name().toLowerCase(Locale.ROOT));
      each.put("index", pin.index());
      each.put("name", pin.name());
      each.put(
          "since",
          pin.sinceNs() > 0 ? Instant.ofEpochMilli(pin.sinceNs() / NS_PER_MS).toString() : null);
      each.put("bytes", pin.bytes());
      if (pin.reason() != null) {
        each.put("reason", pin.reason().code());
      }
    }
    return node;
  }
}
