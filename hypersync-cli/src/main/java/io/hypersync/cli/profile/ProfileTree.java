package io.hypersync.cli.profile;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Completes a worker's report to the tree of {@code docs/json.md}. Pure. */
public final class ProfileTree {
  private ProfileTree() {}

  /**
   * Adds rates and candidates that are computed from the report, and the outcome of the command.
   */
  public static ObjectNode complete(ObjectNode report, TracedCommand.Ended ended) {
    report.put("exit_code", ended.exitCode());
    report.set("syscalls", ended.syscalls());
    JsonNode requests = report.path("requests");
    double seconds = Math.max(0.001, report.path("seconds").asDouble());
    long renames = sum(requests, "rename", "rename2");
    long fsyncs = sum(requests, "fsync");
    long fsyncDirs = sum(requests, "fsyncdir");
    long unlinks = sum(requests, "unlink", "rmdir");
    ObjectNode rates = report.putObject("rates_per_s");
    rates.put("requests", rate(sum(requests), seconds));
    rates.put("mutations", rate(sum(report.path("ops")), seconds));
    rates.put("writes", rate(report.path("writes").path("count").asLong(), seconds));
    rates.put("opens", rate(sum(requests, "open", "create"), seconds));
    rates.put("stats", rate(sum(requests, "lookup", "getattr", "statx"), seconds));
    rates.put("listings", rate(sum(requests, "readdir", "readdirplus"), seconds));
    rates.put("renames", rate(renames, seconds));
    rates.put("unlinks", rate(unlinks, seconds));
    rates.put("fsyncs", rate(fsyncs, seconds));
    rates.put("fsyncs_of_directories", rate(fsyncDirs, seconds));
    report.set("local", LocalCandidates.of(report.path("directories"), sum(report.path("ops"))));
    return report;
  }

  private static double rate(long count, double seconds) {
    return Math.round(10 * count / seconds) / 10.0;
  }

  private static long sum(JsonNode counts, String... keys) {
    long sum = 0;
    if (keys.length == 0) {
      for (JsonNode count : counts) {
        sum += count.asLong();
      }
    }
    for (String key : keys) {
      sum += counts.path(key).asLong();
    }
    return sum;
  }
}
