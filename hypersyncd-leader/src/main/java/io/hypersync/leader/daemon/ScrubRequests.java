package io.hypersync.leader.daemon;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.scrub.LostFiles.LostFile;
import io.hypersync.leader.scrub.ScrubReport;
import io.hypersync.leader.scrub.ScrubSchedule;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.agent.AgentQueries;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The admin command {@code scrub}. Its argument {@code do} is {@code status} or {@code run}. The
 * latter answers at once, with the number that the run has in {@code runs} when it is over.
 */
final class ScrubRequests {
  private static final long NS_PER_MS = 1_000_000;

  private final AgentQueries<LeaderAgent> agent;
  private final ScrubThread thread;

  ScrubRequests(AgentQueries<LeaderAgent> agent, ScrubThread thread) {
    this.agent = agent;
    this.thread = thread;
  }

  ObjectNode run(ObjectNode args) {
    String action = args.path("do").asText();
    return switch (action) {
      case "status" -> json().put("epoch", epoch());
      case "run" -> asked();
      default -> throw new UserError("there is nothing called \"" + action + "\" for scrub", "");
    };
  }

  private ObjectNode asked() {
    String epoch = epoch();
    boolean isJoined = thread.look(ScrubSchedule::isRunning);
    return JsonNodeFactory.instance
        .objectNode()
        .put("number", thread.ask())
        .put("joined", isJoined)
        .put("epoch", epoch);
  }

  /** Numbers of scrubs are those of one run of the leader. */
  private String epoch() {
    return Long.toHexString(agent.ask(LeaderAgent::epoch));
  }

  /** What is known of scrubs; for the status, too. Any thread. */
  ObjectNode json() {
    ScrubReport current = thread.progress();
    ObjectNode node = thread.look(ScrubRequests::json);
    node.set("current", current == null ? null : figures(current));
    return node;
  }

  private static ObjectNode json(ScrubSchedule schedule) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("running", schedule.isRunning());
    node.put("ended", schedule.endedSoFar());
    node.put("failed", schedule.failedSoFar());
    node.put("last_failure", schedule.lastFailure());
    ArrayNode runs = node.putArray("runs");
    for (ScrubSchedule.Ended run : schedule.endedRuns()) {
      runs.addObject().put("number", run.number()).put("failure", run.failure());
    }
    node.set("last", result(schedule.last()));
    return node;
  }

  private static @Nullable ObjectNode result(ScrubSchedule.@Nullable Result result) {
    if (result == null) {
      return null;
    }
    ScrubReport report = result.report();
    ObjectNode node = figures(report);
    node.put("number", result.number());
    node.put("complete", report.isComplete());
    node.put("took_ms", result.tookNs() / NS_PER_MS);
    ArrayNode lost = node.putArray("lost_items");
    for (ScrubReport.Lost each : report.lost()) {
      lost.addObject()
          .put("kind", each.kind().name().toLowerCase(Locale.ROOT))
          .put("hash", each.hash().toString())
          .put("snapshot", each.snapshot());
    }
    ArrayNode files = node.putArray("lost_files");
    for (LostFile file : result.files()) {
      files.addObject().put("path", file.path()).put("inode", file.inode());
    }
    return node;
  }

  private static ObjectNode figures(ScrubReport report) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("index", report.headIndex());
    node.put("snapshots_read", report.snapshots());
    node.put("snapshots", report.ofSnapshots());
    node.put("chunks_read", report.chunks());
    node.put("pages_read", report.pages());
    node.put("bytes_read", report.bytes());
    node.put("bad", report.bad());
    node.put("mended", report.mended());
    node.put("waiting", report.waiting());
    node.put("lost", report.lostCount());
    return node;
  }
}
