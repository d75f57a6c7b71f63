package io.hypersync.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.cli.demo.ChildDaemon;
import io.hypersync.runtime.admin.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a snapshot has cost a leader that does nothing else.
 *
 * @param wallNs until it was durable; its thread sleeps a part of that, by its limit of the rate
 * @param cpuNs processor time of the leader meanwhile
 * @param writtenBytes what the leader has had the kernel write meanwhile
 * @param pages how many it has written
 */
record SnapshotCost(long wallNs, long cpuNs, long writtenBytes, long pages) {
  private static final Duration LIMIT = Duration.ofMinutes(30);
  private static final String WRITTEN = "write_bytes: ";
  private static final AtomicLong NUMBER = new AtomicLong();

  /** Has a snapshot taken. */
  static SnapshotCost measure(ChildDaemon leader) throws IOException {
    long bytes = writtenBytes(leader.pid());
    long cpuNs = Restart.cpuNs(leader.pid());
    long beganNs = System.nanoTime();
    JsonNode snapshot = take(leader);
    long wallNs = System.nanoTime() - beganNs;
    return new SnapshotCost(
        wallNs,
        Restart.cpuNs(leader.pid()) - cpuNs,
        writtenBytes(leader.pid()) - bytes,
        snapshot.path("pages_written").asLong());
  }

  /** Has a snapshot taken, with a name that no other has. */
  static JsonNode take(ChildDaemon leader) {
    return leader.ask(
        "snapshot",
        JsonNodeFactory.instance
            .objectNode()
            .put("do", "create")
            .put("name", "bench-" + NUMBER.incrementAndGet()),
        LIMIT);
  }

  private static long writtenBytes(long pid) throws IOException {
    return Files.readAllLines(Path.of("/proc", Long.toString(pid), "io")).stream()
        .filter(line -> line.startsWith(WRITTEN))
        .map(line -> Long.parseLong(line.substring(WRITTEN.length())))
        .findFirst()
        .orElseThrow(() -> new UserError("the kernel does not count what processes write", ""));
  }
}
