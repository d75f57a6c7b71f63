package io.hypersync.leader.leadership;

import io.hypersync.leader.leadership.ClaimContent.Free;
import io.hypersync.leader.leadership.Leadership.Phase;
import io.hypersync.runtime.agent.Clock;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** One host's clock, claim file and processes, in memory. */
final class SimulatedHost implements ClaimStore, HostProcesses, Clock {
  static final long SECOND = 1_000_000_000L;

  private final Set<Long> alive = new HashSet<>();
  private ClaimContent content = new Free();
  private long nowNs = 1_000 * SECOND;
  private long epochJumpNs;
  private String broken = "";

  Leadership process(String instance, long pid) {
    return process(instance, pid, new ClaimRules());
  }

  Leadership process(String instance, long pid, ClaimRules rules) {
    alive.add(pid);
    return new Leadership(instance, pid, this, this, this, nowNs, rules);
  }

  void passes(long seconds) {
    nowNs += seconds * SECOND;
  }

  /** Somebody sets the clock of the host. */
  void clockJumps(long seconds) {
    epochJumpNs += seconds * SECOND;
  }

  void dies(long pid) {
    alive.remove(pid);
  }

  void write(String text) {
    content = ClaimText.parse(text);
  }

  void write(Claim claim) {
    content = new ClaimContent.Held(claim);
  }

  ClaimContent content() {
    return content;
  }

  String text() {
    return ClaimText.of(content);
  }

  /** From now on the file cannot be used; the empty text mends it. */
  void breaks(String why) {
    broken = why;
  }

  /** Turns of a process, as its timer makes them, for so long. */
  Phase turns(long seconds, Leadership... processes) {
    Phase last = processes[0].refresh();
    for (long passed = 0; passed < seconds; passed += 5) {
      passes(5);
      for (Leadership process : processes) {
        last = process.refresh();
      }
    }
    return last;
  }

  @Override
  public ClaimContent exchange(Function<ClaimContent, Optional<ClaimContent>> decide)
      throws ClaimException {
    if (!broken.isEmpty()) {
      throw new ClaimException(broken, "");
    }
    decide.apply(content).ifPresent(wanted -> content = wanted);
    return content;
  }

  @Override
  public boolean isAlive(long pid) {
    return alive.contains(pid);
  }

  @Override
  public long monotonicNs() {
    return nowNs;
  }

  @Override
  public long epochNs() {
    return nowNs + epochJumpNs;
  }
}
