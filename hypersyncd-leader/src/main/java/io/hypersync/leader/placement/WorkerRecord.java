package io.hypersync.leader.placement;

import io.hypersync.wire.message.LocalPressure;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** What the scheduler knows of one worker, over all its connections. */
final class WorkerRecord {
  /** Reports come every 100 ms: after this time its figures are old. */
  private static final long SILENT_NS = 1_000_000_000L;

  /** Costs are observed so often, however many reports come. */
  private static final long OBSERVE_NS = 1_000_000_000L;

  /** Beyond this many bytes of chunks that wait for symbols it does not keep up. */
  private static final long MOST_BACKLOG = 64 << 20;

  private static final long NS_PER_S = 1_000_000_000L;

  private PlacementLimits limits;
  private final Stability stability = new Stability();
  private final CostPosterior posterior = new CostPosterior();
  private final PromisedAgents agents = new PromisedAgents();
  private Load load = Load.of(new Observation(LocalPressure.NOT_KNOWN, 0, 0, 0, Optional.empty()));
  private List<Reason> last = List.of();
  private boolean connected;
  private long heardNs;
  private boolean isObserved;
  private long observedNs;

  WorkerRecord(PlacementLimits limits) {
    this.limits = limits;
  }

  /** Other limits from now on. */
  void limit(PlacementLimits changed) {
    limits = changed;
  }

  void observed(Observation seen, long nowNs) {
    boolean wasAway = connected && nowNs - heardNs > SILENT_NS;
    connected = true;
    heardNs = nowNs;
    load = Load.of(seen);
    agents.reported(load.agents(), nowNs);
    last = reasons(seen);
    if (wasAway) { // nobody has looked meanwhile
      stability.observe(List.of(silent(nowNs)), false, nowNs);
    }
    stability.observe(last, isCalm(), nowNs);
    if (load.isKnown() && (!isObserved || nowNs - observedNs >= OBSERVE_NS)) {
      isObserved = true;
      observedNs = nowNs;
      posterior.observe(latent(), nowNs);
    }
  }

  void left(long nowNs) {
    connected = false;
    stability.observe(List.of(disconnected()), false, nowNs);
  }

  private List<Reason> reasons(Observation seen) {
    List<Reason> reasons = new ArrayList<>();
    seen.hindrance().ifPresent(why -> reasons.add(new Reason("hindered", why)));
    if (!load.isKnown()) {
      reasons.add(new Reason("unknown_load", "it does not say how loaded its host is"));
    }
    if (load.cpu() >= limits.cpu()) {
      reasons.add(Reason.over(Measure.CPU_UTILIZATION, share(load.cpu()), share(limits.cpu())));
    }
    if (load.memory() >= limits.memory()) {
      reasons.add(
          Reason.over(Measure.MEMORY_PRESSURE, share(load.memory()), share(limits.memory())));
    }
    if (load.syncLagMs() >= limits.syncLagMs()) {
      reasons.add(Reason.over(Measure.SYNC_LAG, ms(load.syncLagMs()), ms(limits.syncLagMs())));
    }
    if (load.commitRttMs() >= limits.commitRttMs()) {
      reasons.add(
          Reason.over(Measure.COMMIT_RTT, ms(load.commitRttMs()), ms(limits.commitRttMs())));
    }
    if (seen.backlogBytes() >= MOST_BACKLOG) {
      reasons.add(
          new Reason(
              "backlog", (seen.backlogBytes() >> 20) + " MiB of symbols there wait to be decoded"));
    }
    return reasons;
  }

  private boolean isCalm() {
    for (double ratio : load.ratios(limits).values()) {
      if (ratio >= Stability.CALM_RATIO) {
        return false;
      }
    }
    return true;
  }

  /** Why it gets no agent now; empty if it does. */
  List<Reason> excluded(long nowNs) {
    if (!connected) {
      return List.of(disconnected());
    }
    if (nowNs - heardNs > SILENT_NS) {
      return List.of(silent(nowNs));
    }
    List<Reason> reasons = new ArrayList<>(last);
    if (reasons.isEmpty() && !stability.isStable()) {
      reasons.add(
          new Reason(
              "recovering",
              "it was not stable, and must be calm for another "
                  + Math.ceilDiv(stability.missingNs(nowNs), NS_PER_S)
                  + " s"));
    }
    int count = agents(nowNs);
    if (count >= limits.agents()) {
      reasons.add(
          Reason.over(Measure.AGENTS, Integer.toString(count), Integer.toString(limits.agents())));
    }
    return reasons;
  }

  /** Those that it says it has, and those that were promised to it. */
  int agents(long nowNs) {
    return agents.agents(nowNs);
  }

  boolean isFull(long nowNs) {
    return agents(nowNs) >= limits.agents();
  }

  void promise(long nowNs) {
    agents.promise(nowNs);
  }

  /** What an agent there is likely to cost: drawn, and what its company adds. */
  double sample(RandomGenerator random, long nowNs) {
    return posterior.sample(random) + company(nowNs);
  }

  /** The most likely cost, company included. */
  double cost(long nowNs) {
    posterior.forget(nowNs);
    return posterior.mean() + company(nowNs);
  }

  CostPosterior posterior(long nowNs) {
    posterior.forget(nowNs);
    return posterior;
  }

  /** What each measure adds to the cost, by the last report. */
  Map<Measure, Double> penalties(long nowNs) {
    Map<Measure, Double> penalties = new EnumMap<>(Measure.class);
    load.ratios(limits)
        .forEach((measure, ratio) -> penalties.put(measure, measure.weight() * ratio));
    penalties.put(Measure.AGENTS, company(nowNs));
    return penalties;
  }

  private double latent() {
    return load.ratios(limits).entrySet().stream()
        .mapToDouble(each -> each.getKey().weight() * each.getValue())
        .sum();
  }

  private double company(long nowNs) {
    return Measure.AGENTS.weight() * Load.ratio(agents(nowNs), limits.agents());
  }

  private Reason silent(long nowNs) {
    return new Reason("silent", "it has not been heard for " + (nowNs - heardNs) / NS_PER_S + " s");
  }

  private static Reason disconnected() {
    return new Reason("disconnected", "it is not connected");
  }

  private static String share(double share) {
    return Math.round(100 * share) + "%";
  }

  private static String ms(double ms) {
    return String.format(Locale.ROOT, "%.1f ms", ms);
  }
}
