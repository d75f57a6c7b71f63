package io.hypersync.e2e.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.cli.relay.NetworkConditions;
import io.hypersync.cli.relay.NetworkConditions.Direction;
import io.hypersync.cli.relay.UdpRelay;
import io.hypersync.e2e.faults.FaultCell.BadNetwork;
import io.hypersync.e2e.faults.FaultCell.Cut;
import io.hypersync.e2e.faults.FaultCell.Killed;
import io.hypersync.e2e.faults.FaultCell.Stopped;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.DaemonJvm;
import io.hypersync.e2e.harness.Directories;
import io.hypersync.e2e.harness.Errnos;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.Trees;
import io.hypersync.e2e.load.WriteLoad;
import io.hypersync.e2e.load.WriteLoad.Call;
import io.hypersync.runtime.fault.FaultPoints.Moment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;

/**
 * Runs one {@link FaultCell}: both mounts are written to, the fault begins and ends, and afterwards
 * the state must agree with the answers that callers got (hypersync.md 6.4, 8.2, 22.1 item 6).
 */
final class FaultRun {
  /**
   * After this time the leader closes the session of a silent worker, which thereby loses the
   * leader.
   */
  private static final Duration WORKER_TIMEOUT = Duration.ofSeconds(3);

  /** Additional time for steps on a busy machine. */
  private static final Duration BUSY = Duration.ofSeconds(10);

  /** Additional time for turning read-only, which depends on a timer only. */
  private static final Duration LATE_TIMER = Duration.ofSeconds(3);

  /** Up to this loss rate the only effect is delay. */
  private static final double BEARABLE_LOSS = 0.05;

  /**
   * A reconnect pause of a second, a connection attempt of a second, and catching up; the rest is
   * for busy machines.
   */
  private static final Duration RECOVERY_LIMIT = Duration.ofSeconds(15);

  private static final Duration PROBE_EVERY = Duration.ofMillis(500);
  private static final int MUTATIONS = 100;
  private static final String TEXT = "read me";

  private final FaultCell cell;
  private final FaultStage stage;
  private final TestCluster cluster;
  private final Path onA;
  private final Path onB;
  private final List<Path> folders;
  private final StringJoiner seen = new StringJoiner("; ");
  private int probes;

  /** The newest log index before the load begins. */
  private long indexBefore;

  FaultRun(FaultCell cell, FaultStage stage) {
    this.cell = cell;
    this.stage = stage;
    this.cluster = stage.cluster();
    this.onA = cluster.mount("a").resolve(cell.name());
    this.onB = cluster.mount("b").resolve(cell.name());
    this.folders = List.of(onA, onB);
  }

  /** Runs the cell; returns a summary line. */
  String run() throws Exception {
    Await.until("a folder of its own", () -> Files.createDirectory(onA) != null);
    WriteLoad.prepare(onA);
    Await.until("a file", () -> Files.writeString(onA.resolve("before"), TEXT) != null);
    if (cell.fault() instanceof Killed killed) {
      arm(killed);
    }
    settle();
    indexBefore = cluster.leader().status().path("commit_index").asLong();
    WriteLoad load = WriteLoad.start(folders, pause(cell.fault().time()));
    try (load) {
      switch (cell.fault()) {
        case Killed(String daemon, Moment moment, int _) when daemon.equals("leader") ->
            killLeader(moment, load);
        case Killed(String daemon, Moment moment, int _) -> killWorker(daemon, moment, load);
        case Stopped(String daemon, Duration time) when daemon.equals("leader") ->
            stopLeader(time, load);
        case Stopped(String daemon, Duration time) -> stopWorker(daemon, time, load);
        case BadNetwork(NetworkConditions conditions, Duration time) ->
            spoilNetwork(conditions, time, load);
        case Cut cut -> cut(cut, load);
      }
    }
    check(load);
    seen.add(load.toString());
    return cell + ": " + seen;
  }

  // The faults.

  /** Restarts the daemon with the fault point armed, so that the load will reach it. */
  private void arm(Killed killed) throws Exception {
    Map<String, String> fault =
        Map.of("HYPERSYNC_FAULT_HOLD_AT", killed.moment() + ":" + killed.which());
    settle();
    DaemonJvm daemon = cluster.daemon(killed.daemon());
    daemon.terminate();
    assertEquals(0, daemon.awaitExit(Await.LIMIT), "exit code after SIGTERM");
    if (killed.daemon().equals("leader")) {
      cluster.startLeader(fault);
      FaultStage.WORKERS.forEach(this::awaitReconnected);
    } else {
      cluster.startWorker(killed.daemon(), fault);
    }
  }

  private void killWorker(String worker, Moment moment, WriteLoad load) throws Exception {
    DaemonJvm daemon = cluster.worker(worker);
    Path folder = cluster.mount(worker).resolve(cell.name());
    daemon.awaitSaying("held at " + moment);
    load.awaitProgress(MUTATIONS); // on the other mount
    load.expectDeath(folder);
    daemon.kill();
    load.awaitDeath(folder);
    assertEquals("ENOTCONN", Errnos.of(() -> Files.createFile(folder.resolve("no"))));
    load.awaitProgress(MUTATIONS);
    checkLogOf(worker, load);

    long againNs = System.nanoTime();
    cluster.hypersync("umount", cluster.mount(worker).toString()).orFail("umount");
    cluster.startWorker(worker);
    seen.add("the worker is back in " + since(againNs) + " ms");
    Files.writeString(folder.resolve("after"), "clean");
    Await.same("on the other", "clean", () -> Files.readString(onA.resolve("after")));
    settle();
    load.awaitProgress(MUTATIONS);
  }

  /**
   * Every intent is in the log once or not at all. The one at the fault point had been sent, so at
   * least one is in the log.
   */
  private void checkLogOf(String worker, WriteLoad load) {
    Set<String> intents = new HashSet<>();
    for (JsonNode entry : cluster.log(Integer.MAX_VALUE)) {
      if (entry.path("log_index").asLong() > indexBefore
          && entry.path("worker_id").asText().equals(worker)) {
        String intent = entry.path("client_id").asText() + " " + entry.path("seq_no").asLong();
        assertTrue(intents.add(intent), () -> "committed twice: " + entry);
      }
    }
    int happened = intents.size() - load.acknowledgedOn(cluster.mount(worker).resolve(cell.name()));
    assertTrue(
        happened >= 1 && happened <= load.unknown(),
        () -> happened + " of the calls without an answer are in the log: " + load);
    seen.add(happened + " of " + load.unknown() + " calls without an answer have happened");
  }

  private void killLeader(Moment moment, WriteLoad load) throws Exception {
    DaemonJvm leader = cluster.leader();
    leader.awaitSaying("held at " + moment);
    if (moment == Moment.CHUNKS_STORED) {
      leader.await("have the intent", status -> status.path("pending_intents").asInt() > 0);
    }
    List<Call> underWay = load.underWay();
    leader.kill();
    long killedNs = System.nanoTime();
    awaitReadOnly(FaultStage.WORKERS, killedNs, FaultStage.LEADER_TIMEOUT);
    assertReadOnly(FaultStage.WORKERS);
    long heardOf = 0;
    for (String worker : FaultStage.WORKERS) {
      heardOf = Math.max(heardOf, cluster.worker(worker).status().path("applied_index").asLong());
    }

    cluster.startLeader();
    long recovered = cluster.leader().status().path("commit_index").asLong();
    if (moment == Moment.ENTRY_DURABLE) {
      assertTrue(recovered > heardOf, "an entry that nobody had heard of is in the log");
    }
    awaitRecovery(FaultStage.WORKERS, System.nanoTime());
    load.awaitProgress(MUTATIONS);
    assertEquals(0, load.unknown(), "every call in flight is told the truth: " + load);
    assertTrue(
        underWay.stream().anyMatch(Call::succeeded),
        "a call that was under way when the leader died succeeds: " + underWay);
    seen.add(
        underWay.stream().filter(Call::succeeded).count()
            + " of "
            + underWay.size()
            + " calls under way succeeded after all");
  }

  private void stopLeader(Duration time, WriteLoad load) throws Exception {
    load.awaitProgress(MUTATIONS);
    cluster.leader().freeze();
    try {
      isolated(FaultStage.WORKERS, System.nanoTime(), FaultStage.LEADER_TIMEOUT, time);
    } finally {
      cluster.leader().thaw();
    }
    awaitRecovery(FaultStage.WORKERS, System.nanoTime());
    assertResolved(time, load);
  }

  private void stopWorker(String worker, Duration time, WriteLoad load) throws Exception {
    load.awaitProgress(MUTATIONS);
    cluster.worker(worker).freeze();
    long frozenNs = System.nanoTime();
    try {
      cluster
          .leader()
          .await(
              "give the silent worker up",
              status ->
                  status
                      .path("workers")
                      .valueStream()
                      .noneMatch(one -> one.path("worker_id").asText().equals(worker)));
      seen.add("given up after " + since(frozenNs) + " ms");
      while (since(frozenNs) < time.toMillis()) {
        load.awaitProgress(1); // the other worker is not delayed
        assertEquals(TEXT, Files.readString(onA.resolve("before")), "reads on the other mount");
        Thread.sleep(PROBE_EVERY);
      }
    } finally {
      cluster.worker(worker).thaw();
    }
    awaitRecovery(List.of(worker), System.nanoTime());
    assertResolved(time, load);
  }

  private void spoilNetwork(NetworkConditions conditions, Duration time, WriteLoad load)
      throws Exception {
    load.awaitProgress(MUTATIONS);
    int before = load.acknowledged();
    Map<UdpRelay, UdpRelay.Fate> relays = new HashMap<>();
    for (String worker : FaultStage.WORKERS) {
      UdpRelay relay = stage.relay(worker);
      relays.put(relay, relay.fate());
      relay.become(conditions);
    }
    try {
      Thread.sleep(time);
      load.awaitProgress(MUTATIONS); // waits longer than {@code time} if it has to
      seen.add(load.acknowledged() - before + " acknowledged meanwhile");
      relays.forEach(
          (relay, begin) -> {
            UdpRelay.Fate fate = relay.fate().since(begin);
            double least = (fate.passed() + fate.dropped()) * conditions.lost() / 2;
            assertTrue(
                fate.dropped() > 0 && fate.dropped() >= least && fate.disordered() > 0,
                () -> fate + " under " + conditions);
          });
      if (conditions.lost() <= BEARABLE_LOSS) {
        assertEquals(0, load.refused(), "no mount turns read-only: " + load);
      }
      load.close();
      assertEquals(0, load.unknown(), "every call in flight is told the truth: " + load);
      check(load);
    } finally {
      heal();
    }
  }

  private void cut(Cut cut, WriteLoad load) throws Exception {
    List<String> victim = List.of("a");
    // A worker that does not hear the leader detects that itself; a worker that is not heard is
    // closed by the leader.
    Duration bound =
        cut.directions().contains(Direction.TO_WORKER) ? FaultStage.LEADER_TIMEOUT : WORKER_TIMEOUT;
    load.awaitProgress(MUTATIONS);
    long cutNs = stage.relay("a").become(NetworkConditions.cut(cut.directions()));
    try {
      isolated(victim, cutNs, bound, cut.time());
      load.awaitProgress(MUTATIONS); // on the other mount
    } finally {
      heal();
    }
    awaitRecovery(victim, System.nanoTime());
    assertResolved(cut.time(), load);
  }

  private void heal() {
    FaultStage.WORKERS.forEach(worker -> stage.relay(worker).become(NetworkConditions.GOOD));
  }

  // Conditions during and after a fault.

  /**
   * Until the fault has lasted for {@code time}: these mounts must turn read-only within {@code
   * bound} and stay read-only, reads must work, and no call may wait longer than MUTATION_DEADLINE.
   */
  private void isolated(List<String> workers, long beganNs, Duration bound, Duration time)
      throws Exception {
    awaitReadOnly(workers, beganNs, bound);
    while (since(beganNs) < time.toMillis()) {
      assertReadOnly(workers);
      Thread.sleep(PROBE_EVERY);
    }
    if (time.compareTo(FaultStage.MUTATION_DEADLINE.plus(BUSY)) > 0) {
      for (String worker : workers) {
        assertEquals(
            0,
            cluster.worker(worker).status().path("pending_mutations").asInt(),
            "calls that still wait on " + worker);
      }
    }
  }

  private void awaitReadOnly(List<String> workers, long beganNs, Duration bound)
      throws InterruptedException {
    List<Long> took = new ArrayList<>();
    for (String worker : workers) {
      cluster.worker(worker).await("be read-only", status -> status.path("read_only").asBoolean());
      took.add(since(beganNs));
      assertTrue(
          took.getLast() < bound.plus(LATE_TIMER).toMillis(), worker + " read-only: " + took);
    }
    seen.add("read-only after " + took + " ms");
  }

  private void assertReadOnly(List<String> workers) throws Exception {
    for (String worker : workers) {
      Path folder = cluster.mount(worker).resolve(cell.name());
      Path probe = folder.resolve("refused-" + probes++);
      assertEquals("EROFS", Errnos.of(() -> Files.createFile(probe)), "create on " + worker);
      assertEquals(TEXT, Files.readString(folder.resolve("before")), "reads go on");
      assertTrue(Directories.names(folder).contains("before"), "listings go on");
    }
  }

  private void awaitRecovery(List<String> workers, long healedNs) throws Exception {
    List<Long> took = new ArrayList<>();
    for (String worker : workers) {
      cluster.awaitWritable(worker);
      Path file = cluster.mount(worker).resolve(cell.name()).resolve("recovered-" + worker);
      Await.until("a mutation on " + worker, () -> Files.writeString(file, worker) != null);
      took.add(since(healedNs));
      assertTrue(took.getLast() < RECOVERY_LIMIT.toMillis(), worker + " is back: " + took);
    }
    seen.add("writable again after " + took + " ms");
  }

  /**
   * IntentStatus must have resolved every call in flight, unless MUTATION_DEADLINE passed before
   * (6.4).
   */
  private void assertResolved(Duration time, WriteLoad load) throws InterruptedException {
    load.awaitProgress(MUTATIONS);
    if (time.compareTo(FaultStage.MUTATION_DEADLINE) < 0) {
      assertEquals(0, load.unknown(), "every call in flight is told the truth: " + load);
    }
  }

  private void check(WriteLoad load) throws Exception {
    settle();
    for (Path folder : folders) {
      load.check(folder);
      assertFalse(
          Directories.names(folder).stream().anyMatch(name -> name.startsWith("refused-")),
          "what was refused has come to pass later");
    }
    Trees.assertSame(onA, onB);
    cluster.assertSameRoots(FaultStage.WORKERS.toArray(String[]::new));
  }

  private void settle() throws InterruptedException {
    cluster.settle(FaultStage.WORKERS.toArray(String[]::new));
  }

  private void awaitReconnected(String worker) {
    try {
      cluster.awaitWritable(worker);
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  /**
   * Pause between calls of the load: longer for long faults, so that the log stays short enough to
   * be checked.
   */
  private static Duration pause(Duration time) {
    return Duration.ofMillis(Math.clamp(time.toSeconds(), 5, 200));
  }

  private static long since(long ns) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - ns);
  }
}
