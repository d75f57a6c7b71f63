package io.hypersync.e2e.faults;

import io.hypersync.cli.config.HostPort;
import io.hypersync.cli.relay.UdpRelay;
import io.hypersync.e2e.harness.TestCluster;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A running workspace whose workers a and b each reach the leader through a {@link UdpRelay}. */
final class FaultStage implements AutoCloseable {
  static final List<String> WORKERS = List.of("a", "b");

  /** The default leader timeout. */
  static final Duration LEADER_TIMEOUT = Duration.ofSeconds(1);

  /**
   * Longer than the default, so that calls in flight outlast a fault of a minute and must then get
   * a definite answer.
   */
  static final Duration MUTATION_DEADLINE = Duration.ofMinutes(2);

  private static final List<String> SETTINGS =
      List.of(
          "hypersync.worker.leader_timeout=" + LEADER_TIMEOUT.toSeconds() + "s",
          "hypersync.worker.mutation_deadline=" + MUTATION_DEADLINE.toSeconds() + "s");

  private final TestCluster cluster;
  private final Map<String, UdpRelay> relays = new LinkedHashMap<>();

  private FaultStage(TestCluster cluster) {
    this.cluster = cluster;
  }

  /**
   * Starts the workspace.
   *
   * @param seed determines which packets the relays drop
   */
  static FaultStage start(long seed) throws Exception {
    FaultStage stage = new FaultStage(TestCluster.create(SETTINGS));
    try {
      stage.cluster.startLeader();
      HostPort leader = stage.cluster.address();
      for (String worker : WORKERS) {
        UdpRelay relay =
            UdpRelay.start(
                new InetSocketAddress(leader.host(), leader.port()), seed + worker.hashCode());
        stage.relays.put(worker, relay);
        stage.cluster.putLeaderAddress(worker, relay.address());
        stage.cluster.startWorker(worker);
      }
      return stage;
    } catch (Exception | Error failure) {
      stage.close();
      throw failure;
    }
  }

  TestCluster cluster() {
    return cluster;
  }

  /** The relay between this worker and the leader. */
  UdpRelay relay(String worker) {
    UdpRelay relay = relays.get(worker);
    if (relay == null) {
      throw new AssertionError("no relay for " + worker);
    }
    return relay;
  }

  boolean isHealthy() {
    return cluster.isHealthy(WORKERS.toArray(String[]::new));
  }

  @Override
  public void close() throws IOException {
    try {
      cluster.close();
    } finally {
      for (UdpRelay relay : relays.values()) {
        relay.close();
      }
    }
  }
}
