package io.hypersync.e2e.faults;

import io.hypersync.cli.relay.NetworkConditions;
import io.hypersync.cli.relay.NetworkConditions.Direction;
import io.hypersync.runtime.fault.FaultPoints.Moment;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A cell of the fault matrix (hypersync.md 22.3): one fault in a workspace with the workers a and
 * b, while both mounts are written to.
 */
@SuppressWarnings("ImmutableEnumChecker") // the faults are records of values that do not change
enum FaultCell {
  WORKER_KILLED_AFTER_THE_INTENT_BEFORE_THE_ACK(new Killed("b", Moment.INTENT_SENT, 150)),
  WORKER_KILLED_AFTER_THE_ACK_BEFORE_THE_APPLY(new Killed("b", Moment.ACK_RECEIVED, 150)),
  LEADER_KILLED_AFTER_THE_CHUNKS_BEFORE_THE_COMMIT(new Killed("leader", Moment.CHUNKS_STORED, 3)),
  LEADER_KILLED_AFTER_THE_DURABLE_WRITE_BEFORE_THE_ACK(
      new Killed("leader", Moment.ENTRY_DURABLE, 300)),

  LEADER_STOPPED_FOR_5_S(new Stopped("leader", seconds(5))),
  LEADER_STOPPED_FOR_60_S(new Stopped("leader", seconds(60))),
  WORKER_STOPPED_FOR_5_S(new Stopped("b", seconds(5))),
  WORKER_STOPPED_FOR_60_S(new Stopped("b", seconds(60))),

  LOSS_OF_1_PERCENT(new BadNetwork(NetworkConditions.losing(0.01), seconds(5))),
  LOSS_OF_5_PERCENT(new BadNetwork(NetworkConditions.losing(0.05), seconds(5))),
  LOSS_OF_10_PERCENT(new BadNetwork(NetworkConditions.losing(0.10), seconds(5))),
  LOSS_OF_ALL_FOR_200_MS_EVERY_2_S(
      new BadNetwork(NetworkConditions.dropping(Duration.ofMillis(200), seconds(2)), seconds(7))),

  PARTITION_OF_10_S(new Cut(both(), seconds(10))),
  PARTITION_OF_10_S_TOWARDS_THE_LEADER(new Cut(Set.of(Direction.TO_LEADER), seconds(10))),
  PARTITION_OF_10_S_TOWARDS_THE_WORKER(new Cut(Set.of(Direction.TO_WORKER), seconds(10))),
  PARTITION_OF_60_S(new Cut(both(), seconds(60))),
  PARTITION_OF_60_S_TOWARDS_THE_LEADER(new Cut(Set.of(Direction.TO_LEADER), seconds(60))),
  PARTITION_OF_60_S_TOWARDS_THE_WORKER(new Cut(Set.of(Direction.TO_WORKER), seconds(60))),
  PARTITION_OF_10_MIN(new Cut(both(), Duration.ofMinutes(10)));

  private static final Duration LONGEST_BY_DEFAULT = seconds(10);

  private final Fault fault;

  FaultCell(Fault fault) {
    this.fault = fault;
  }

  sealed interface Fault {
    /** Duration of the fault. */
    Duration time();
  }

  /** A daemon is killed at a fault point, when it reaches it for the {@code which}th time. */
  record Killed(String daemon, Moment moment, int which) implements Fault {
    @Override
    public Duration time() {
      return Duration.ZERO;
    }
  }

  /** SIGSTOP, and SIGCONT after {@code time}. */
  record Stopped(String daemon, Duration time) implements Fault {}

  /** Both workers and the leader communicate over a bad network. */
  record BadNetwork(NetworkConditions conditions, Duration time) implements Fault {}

  /** The network between the leader and worker a is blocked, in one or both directions. */
  record Cut(Set<Direction> directions, Duration time) implements Fault {}

  /** The cells to run. */
  static Stream<FaultCell> chosen(boolean longOnes) {
    return Arrays.stream(values())
        .filter(cell -> longOnes || cell.fault.time().compareTo(LONGEST_BY_DEFAULT) <= 0);
  }

  Fault fault() {
    return fault;
  }

  private static Duration seconds(int seconds) {
    return Duration.ofSeconds(seconds);
  }

  private static Set<Direction> both() {
    return EnumSet.allOf(Direction.class);
  }
}
