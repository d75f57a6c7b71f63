package io.hypersync.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.cli.demo.ChildDaemon;
import io.hypersync.cli.demo.Demo;
import java.time.Duration;
import java.util.List;

/**
 * The work by which daemons bound what they keep, done to its end: snapshots, forgetting of
 * orphans, trimming of the log, collection of chunks.
 */
final class Upkeep {
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(10);
  private static final int POLL_MS = 20;
  private static final Duration LIMIT = Duration.ofMinutes(10);

  /**
   * Settings with which the leader keeps no more past than it needs, and looks often. The log's
   * bound is the smallest there is.
   */
  static final List<String> LEADER_SETTINGS =
      List.of(
          "hypersync.snapshots.interval=1s",
          "hypersync.snapshots.retain=2",
          "hypersync.log.retain=0s",
          "hypersync.log.retain_entries=0",
          "hypersync.log.max_bytes=67108864",
          "hypersync.gc.interval=1s",
          "hypersync.gc.replay_entries=0",
          "hypersync.gc.replay_time=0s",
          "hypersync.leader.open_lease_ttl=1s");

  /** The same for a worker. */
  static final List<String> WORKER_SETTINGS =
      List.of("hypersync.snapshots.interval=1s", "hypersync.gc.interval=1s");

  private Upkeep() {}

  /** Waits until workers have caught up, and each daemon has a snapshot and has collected twice. */
  static void settle(Demo.Cast cast) throws InterruptedException {
    var _ =
        cast.leader()
            .await("forget orphans", status -> status.path("orphans").asLong() == 0, LIMIT);
    Demo.settle(cast);
    rest(cast.leader(), "commit_index");
    for (ChildDaemon worker : cast.workers().values()) {
      rest(worker, "applied_index");
    }
  }

  private static void rest(ChildDaemon daemon, String head) throws InterruptedException {
    var _ =
        daemon.await(
            "take a snapshot",
            status -> status.at("/snapshots/newest_index").asLong() >= status.path(head).asLong(),
            LIMIT);
    collect(daemon); // may end the newest segment, which the next one empties
    collect(daemon);
  }

  /**
   * Has a daemon collect now, and waits for the end. A run is given up while a worker that has just
   * connected has not told what it shows; then another one is asked for.
   */
  private static void collect(ChildDaemon daemon) throws InterruptedException {
    long failed;
    JsonNode status;
    do {
      failed = ask(daemon, "status").path("failed").asLong();
      long number = ask(daemon, "run").path("number").asLong();
      do {
        Thread.sleep(POLL_MS);
        status = ask(daemon, "status");
      } while (status.path("ended").asLong() < number);
    } while (status.path("failed").asLong() > failed);
  }

  private static JsonNode ask(ChildDaemon daemon, String what) {
    return daemon.ask("gc", JsonNodeFactory.instance.objectNode().put("do", what), ANSWER_LIMIT);
  }
}
