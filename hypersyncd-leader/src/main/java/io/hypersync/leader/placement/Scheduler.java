package io.hypersync.leader.placement;

import io.hypersync.leader.placement.Placement.Candidate;
import io.hypersync.leader.placement.Placement.Exclusion;
import io.hypersync.leader.placement.Placement.Pick;
import io.hypersync.leader.placement.Placement.Share;
import io.hypersync.model.id.WorkerId;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.agent.Entropy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Places agents on workers by Thompson sampling (hypersync.md 15): of the workers that are stable
 * the one whose cost, drawn from what is believed of it, is the least. On the agent's thread.
 *
 * <p>Memory grows with the number of enrolled workers, as other tables of the leader do: a worker
 * needs a certificate of the workspace to be seen here at all.
 */
public final class Scheduler {
  /** The most agents of one request; with 50 workers their numbers are drawn within 2 ms. */
  public static final int MOST_AGENTS = 256;

  /** The longest name of a session, in characters. */
  public static final int MOST_SESSION = 255;

  /** So many decisions are remembered. */
  private static final int REMEMBERED = 32;

  /** So many picks of one decision are. */
  private static final int PICKS = 8;

  private PlacementLimits limits;
  private final Clock clock;
  private final Entropy entropy;
  private final Map<WorkerId, WorkerRecord> workers =
      new TreeMap<>(Comparator.comparing(WorkerId::name));
  private final Deque<Placement> decisions = new ArrayDeque<>();
  private long decided;

  /**
   * No worker is known yet.
   *
   * @param entropy source of the seed of each decision
   */
  public Scheduler(PlacementLimits limits, Clock clock, Entropy entropy) {
    this.limits = limits;
    this.clock = clock;
    this.entropy = entropy;
  }

  /** The limits in force. */
  public PlacementLimits limits() {
    return limits;
  }

  /** Other limits from now on; workers are judged by them with their next report. */
  public void limit(PlacementLimits changed) {
    limits = changed;
    workers.values().forEach(worker -> worker.limit(changed));
  }

  /** A connected worker was heard. */
  public void observed(WorkerId worker, Observation seen) {
    workers
        .computeIfAbsent(worker, _ -> new WorkerRecord(limits))
        .observed(seen, clock.monotonicNs());
  }

  /** A worker has disconnected. */
  public void left(WorkerId worker) {
    WorkerRecord known = workers.get(worker);
    if (known != null) {
      known.left(clock.monotonicNs());
    }
  }

  /** What is thought of a worker; null if it was never heard. */
  public @Nullable Judgement judgement(WorkerId worker) {
    WorkerRecord known = workers.get(worker);
    if (known == null) {
      return null;
    }
    long nowNs = clock.monotonicNs();
    return new Judgement(known.excluded(nowNs), known.cost(nowNs), known.agents(nowNs));
  }

  /**
   * Chooses workers for agents that are about to be started. They count as there from now on.
   *
   * @param count how many agents, 1 to {@link #MOST_AGENTS}
   * @param session for whom, for the evidence only
   * @throws IllegalArgumentException if there are too few or too many agents, or the name of the
   *     session is too long
   */
  public Placement place(int count, String session) {
    if (count < 1 || count > MOST_AGENTS || session.length() > MOST_SESSION) {
      throw new IllegalArgumentException(count + " agents for " + session.length() + " characters");
    }
    long nowNs = clock.monotonicNs();
    List<Exclusion> excluded = new ArrayList<>();
    Map<WorkerId, WorkerRecord> stable = new LinkedHashMap<>();
    List<Candidate> candidates = new ArrayList<>();
    workers.forEach(
        (worker, known) -> {
          List<Reason> reasons = known.excluded(nowNs);
          if (reasons.isEmpty()) {
            stable.put(worker, known);
            candidates.add(candidate(worker, known, nowNs));
          } else {
            excluded.add(new Exclusion(worker, reasons));
          }
        });
    long seed = entropy.nextLong();
    RandomGenerator random = new SeededRandom(seed);
    Map<WorkerId, Integer> shares = new TreeMap<>(Comparator.comparing(WorkerId::name));
    List<Pick> picks = new ArrayList<>();
    int placed = 0;
    while (placed < count) {
      Pick pick = pick(stable, random, nowNs);
      if (pick == null) {
        break; // everybody is full
      }
      if (picks.size() < PICKS) {
        picks.add(pick);
      }
      var _ = shares.merge(pick.chosen(), 1, Integer::sum);
      placed++;
    }
    Placement decision =
        new Placement(
            ++decided,
            clock.epochNs(),
            session,
            count,
            seed,
            shares.entrySet().stream()
                .map(each -> new Share(each.getKey(), each.getValue()))
                .toList(),
            count - placed,
            candidates,
            excluded,
            picks);
    decisions.addLast(decision);
    if (decisions.size() > REMEMBERED) {
      decisions.removeFirst();
    }
    return decision;
  }

  /** The last decisions, the newest last; 32 at most. */
  public List<Placement> decisions() {
    return List.copyOf(decisions);
  }

  private static @Nullable Pick pick(
      Map<WorkerId, WorkerRecord> stable, RandomGenerator random, long nowNs) {
    Map<WorkerId, Double> sampled = new LinkedHashMap<>();
    WorkerId least = null;
    double leastCost = Double.POSITIVE_INFINITY;
    for (Map.Entry<WorkerId, WorkerRecord> each : stable.entrySet()) {
      if (!each.getValue().isFull(nowNs)) {
        double cost = each.getValue().sample(random, nowNs);
        sampled.put(each.getKey(), cost);
        if (cost < leastCost) {
          leastCost = cost;
          least = each.getKey();
        }
      }
    }
    if (least == null) {
      return null;
    }
    stable.get(least).promise(nowNs);
    return new Pick(least, sampled);
  }

  private static Candidate candidate(WorkerId worker, WorkerRecord known, long nowNs) {
    CostPosterior posterior = known.posterior(nowNs);
    return new Candidate(
        worker,
        known.agents(nowNs),
        posterior.mean(),
        posterior.deviation(),
        posterior.weight(),
        known.penalties(nowNs));
  }
}
