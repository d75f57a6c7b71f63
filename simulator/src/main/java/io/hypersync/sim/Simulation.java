package io.hypersync.sim;

import io.hypersync.sim.check.ConvergenceChecker;
import io.hypersync.sim.check.MutationChecker;
import io.hypersync.sim.mainhost.MainHostWish;
import io.hypersync.sim.node.SimWorker;
import io.hypersync.sim.world.Prng;
import io.hypersync.sim.world.Timeline;
import io.hypersync.sim.world.Trace;

/**
 * One history: random calls and random faults for a given number of steps, then a quiet phase
 * without either, in which all nodes must converge to one state. The invariants are checked after
 * every step.
 */
public final class Simulation {
  private static final long REST_NS =
      4 * SwarmOptions.longestMutationNs() + 4 * SwarmOptions.OPEN_LEASE_TTL_NS;
  private static final long MANY_STEPS = 2_000_000;

  /** Makes another source of randomness of a history's seed. */
  private static final long RESTORES = 0x5e57_0f7e_0000L;

  /** The same for states of the past. */
  private static final long PASTS = 0x70617374L;

  /** The same for restores of everything. */
  private static final long WHOLE_RESTORES = 0x616c6c2d61742d6bL;

  /**
   * The same for symbols, and for chunks of equal length. With this number the rare histories that
   * have caught mutants are what they were.
   */
  private static final long SYMBOLS = 0x9140e7366ca763ebL;

  /** The same for what is sent to all workers at once. */
  private static final long MULTICAST = 0x6d756c746963L;

  /** The same for processes that belong to agents. */
  private static final long AGENTS = 0x6167656e7473L;

  /** The same for undos. */
  private static final long UNDOS = 0x756e646f73L;

  /** The same for a worker in the leader's process; with this number as for {@link #SYMBOLS}. */
  private static final long MAIN_HOST = 0x6d61696e686f90b4L;

  /** The same for standbys and takeovers. */
  private static final long FAILOVERS = 0x6661696c6f766572L;

  private final SimulationOptions options;
  private final Trace trace = new Trace();
  private long step;

  private Simulation(SimulationOptions options) {
    this.options = options;
  }

  /**
   * Runs a history in the calling thread.
   *
   * @throws SimulationFailure if an invariant is broken, or the code under test throws
   */
  public static SimulationReport run(SimulationOptions options) {
    return new Simulation(options).run();
  }

  private SimulationReport run() {
    try {
      return history();
      // without it a bug would only end this thread, unreported
    } catch (RuntimeException | Error e) {
      throw new SimulationFailure(options, step, trace.lines(), e);
    }
  }

  private SimulationReport history() {
    Timeline timeline = new Timeline(trace);
    Prng prng = new Prng(options.seed());
    SwarmOptions swarmOptions = SwarmOptions.of(prng.split(), Emphasis.of(options.seed()));
    Cluster cluster =
        new Cluster(
            swarmOptions,
            timeline,
            prng.split(),
            new Prng(options.seed() ^ RESTORES),
            new Prng(options.seed() ^ PASTS),
            new Prng(options.seed() ^ WHOLE_RESTORES),
            new Prng(options.seed() ^ SYMBOLS),
            new Prng(options.seed() ^ MULTICAST),
            new Prng(options.seed() ^ AGENTS),
            new Prng(options.seed() ^ UNDOS),
            MainHostWish.of(new Prng(options.seed() ^ MAIN_HOST)),
            new Prng(options.seed() ^ FAILOVERS));
    Faults faults = new Faults(cluster, timeline, prng.split(), swarmOptions);
    while (step < options.steps()) {
      step++;
      timeline.step();
      cluster.check();
    }
    faults.end();
    Failover failover = cluster.failover();
    if (failover != null) {
      failover.end();
    }
    cluster.group().end();
    cluster.quiet();
    long deadline = timeline.monotonicNs() + REST_NS;
    while (!isAtRest(cluster)) {
      step++;
      timeline.step();
      cluster.check();
      if (timeline.monotonicNs() > deadline || step > MANY_STEPS) {
        throw new IllegalStateException("no rest: " + describe(cluster));
      }
    }
    cluster
        .workers()
        .forEach(
            worker ->
                ConvergenceChecker.check(
                    worker.agent(), worker.files(), cluster.recording().log()));
    cluster.workers().forEach(SimWorker::checkContent);
    if (failover != null) {
      failover.checkAtRest();
    }
    long explained = cluster.histories().check();
    MutationChecker mutations = cluster.recording().mutations();
    if (mutations.unknownCount() > 0 && !swarmOptions.losesTouch()) {
      throw new IllegalStateException(
          mutations.unknownCount() + " callers were told EIO though the leader was there");
    }
    return new SimulationReport(
        options.seed(),
        trace.fingerprint(),
        step,
        cluster.recording().log().index(),
        mutations.committedCount(),
        mutations.failedCount(),
        mutations.unknownCount(),
        cluster.recording().locks().grantedCount(),
        faults.count(),
        cluster.recording().open().reapedCount(),
        cluster.recording().open().lateCount(),
        explained,
        timeline.monotonicNs() / Timeline.MS,
        cluster.happened());
  }

  private static boolean isAtRest(Cluster cluster) {
    var leader = cluster.leader();
    if (leader == null
        || leader.agent().sequencer().orphans().size() > 0
        || leader.agent().sequencer().headIndex() != cluster.recording().log().index()
        || !leader.restores().isIdle()
        || !leader.wholeRestores().isIdle()
        || leader.agent().intentHandler().unacknowledged() > 0
        || leader.agent().intentHandler().pending() > 0
        || cluster.recording().mutations().waiting() > 0
        || cluster.recording().requests().waiting() > 0
        || (cluster.failover() != null && !cluster.failover().isAtRest())) {
      return false;
    }
    return cluster.workers().stream()
        .allMatch(
            worker ->
                worker.isLive()
                    && (worker.agent().isInstalled() || cluster.hasRotted())
                    && worker.agent().isWritable()
                    && worker.agent().visible().index() == cluster.recording().log().index());
  }

  private static String describe(Cluster cluster) {
    StringBuilder out = new StringBuilder();
    var leader = cluster.leader();
    out.append("log ").append(cluster.recording().log().index());
    if (leader != null) {
      out.append(", head ").append(leader.agent().sequencer().headIndex());
      out.append(", pending ").append(leader.agent().intentHandler().pending());
      out.append(", orphans ").append(leader.agent().sequencer().orphans().size());
      out.append(", leases ").append(leader.agent().leases().size());
      out.append(", unacknowledged ").append(leader.agent().intentHandler().unacknowledged());
    }
    cluster
        .workers()
        .forEach(
            worker ->
                out.append(", ")
                    .append(worker.id())
                    .append(' ')
                    .append(worker.agent().monitor().state())
                    .append(worker.isLive() ? "" : " (" + worker.agent().monitor().reason() + ")")
                    .append(" at ")
                    .append(worker.agent().visible().index())
                    .append(" leases ")
                    .append(worker.agent().openLeases())
                    .append(" handles ")
                    .append(worker.vfs().openHandles())
                    .append(" inodes ")
                    .append(worker.inodes().size())
                    .append(" error ")
                    .append(worker.agent().applyError()));
    out.append(", waiting ").append(cluster.recording().mutations().waitingTags());
    out.append(", requests ").append(cluster.recording().requests().waiting());
    Failover failover = cluster.failover();
    if (failover != null) {
      out.append(", ").append(failover.describe());
    }
    return out.toString();
  }
}
