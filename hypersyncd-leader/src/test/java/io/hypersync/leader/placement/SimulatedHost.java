package io.hypersync.leader.placement;

import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.message.LocalPressure;
import java.util.Optional;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;

/** A host whose load follows a curve, with noise; it reports the truth unless told otherwise. */
final class SimulatedHost {
  private static final double NOISE = 0.02;
  private static final long NS_PER_MS = 1_000_000;

  private final WorkerId id;
  private final DoubleUnaryOperator cpuAtSecond;
  private final Random random;
  private double cpu;
  private LocalPressure lie = LocalPressure.NOT_KNOWN;
  private double seenLagMs;

  SimulatedHost(String name, DoubleUnaryOperator cpuAtSecond, long seed) {
    this.id = new WorkerId(name);
    this.cpuAtSecond = cpuAtSecond;
    this.random = new Random(seed);
  }

  /** A host that always says this, while it is what its curve says. */
  SimulatedHost lying(LocalPressure words, double leaderSeesLagMs) {
    lie = words;
    seenLagMs = leaderSeesLagMs;
    return this;
  }

  WorkerId id() {
    return id;
  }

  void goTo(double second) {
    cpu = Math.clamp(cpuAtSecond.applyAsDouble(second) + NOISE * random.nextGaussian(), 0.01, 1);
  }

  Observation seen() {
    return new Observation(
        lie.equals(LocalPressure.NOT_KNOWN) ? truth() : lie,
        (long) (seenLagMs * NS_PER_MS),
        2 * NS_PER_MS,
        0,
        Optional.empty());
  }

  private LocalPressure truth() {
    return new LocalPressure((int) Math.round(100 * cpu), 30, 10, 2_000, 5_000, 0);
  }

  boolean isTrulyUnstable(PlacementLimits limits) {
    return truth().cpuPercent() / 100.0 >= limits.cpu() || seenLagMs >= limits.syncLagMs();
  }

  /** What an agent there feels at this moment. */
  double pain(PlacementLimits limits) {
    Observation honest =
        new Observation(truth(), (long) (seenLagMs * NS_PER_MS), 0, 0, Optional.empty());
    return Load.of(honest).ratios(limits).entrySet().stream()
        .mapToDouble(each -> each.getKey().weight() * each.getValue())
        .sum();
  }
}
