package io.hypersync.leader.leadership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.hypersync.leader.leadership.ClaimContent.Free;
import io.hypersync.leader.leadership.ClaimContent.Held;
import io.hypersync.leader.leadership.Leadership.Phase;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random histories of several processes of one host: they are killed, stopped for a while, started
 * again under a pid that was used before, asked to give way; the file is scribbled on, or cannot be
 * used. Never do two act at once, and soon after the trouble is over one does.
 */
final class LeadershipHuntTest {
  private static final int HISTORIES = 400;
  private static final int STEPS = 300;
  private static final int PROCESSES = 3;

  /** What a run is to have seen, so that it proves something. */
  private enum Event {
    TAKEOVER_OF_THE_DEAD,
    TAKEOVER_OF_A_RECYCLED_PID,
    STOPPED_LEADER_FOLLOWED,
    HANDED_OVER,
    MENDED
  }

  /** A wrong program, which the same hunt has to catch. */
  @SuppressWarnings("ImmutableEnumChecker") // rules have no state
  enum Mutant {
    MALFORMED_MEANS_LEADER(
        new ClaimRules() {
          @Override
          boolean leadsWithout(ClaimContent found, boolean trusted) {
            return !(found instanceof Held);
          }

          @Override
          Verdict verdict(
              ClaimContent found, String instance, long pid, long unchanged, HostProcesses host) {
            return found instanceof ClaimContent.Malformed
                ? Verdict.TAKE
                : super.verdict(found, instance, pid, unchanged, host);
          }
        }),
    RELEASE_THAT_STOMPS_THE_SUCCESSOR(
        new ClaimRules() {
          @Override
          boolean mayRelease(ClaimContent found, String instance, long pid) {
            return true;
          }
        }),
    RECYCLED_PID_TAKEN_AS_ALIVE(
        new ClaimRules() {
          @Override
          boolean isAbandoned(long unchangedNs) {
            return false;
          }
        }),
    TRUSTS_ITS_CLAIM_FOR_EVER(
        new ClaimRules() {
          @Override
          boolean isTrusted(long nowNs, long trustedUntilNs) {
            return true;
          }
        }),
    TAKES_WHAT_IS_STILL_TRUSTED(
        new ClaimRules() {
          @Override
          boolean isAbandoned(long unchangedNs) {
            return unchangedNs > REFRESH_NS / 2;
          }
        }),
    /** The file is not locked: others write between the read and the write. */
    TWO_OBSERVERS_TAKE_OVER(new ClaimRules());

    private final ClaimRules rules;

    Mutant(ClaimRules rules) {
      this.rules = rules;
    }
  }

  @Test
  void neverDoTwoActAndSoonOneDoes() {
    Map<Event, Integer> seen = new EnumMap<>(Event.class);
    for (long seed = 0; seed < HISTORIES; seed++) {
      History history = new History(seed, new ClaimRules(), false);
      assertEquals("", history.run(), "seed " + seed);
      history.seen.forEach((event, times) -> seen.merge(event, times, Integer::sum));
    }
    for (Event event : Event.values()) {
      assertTrue(seen.getOrDefault(event, 0) > 0, event + " was never seen: " + seen);
    }
  }

  @ParameterizedTest
  @EnumSource(Mutant.class)
  void aWrongProgramIsFoundOut(Mutant mutant) {
    for (long seed = 0; seed < HISTORIES; seed++) {
      String found =
          new History(seed, mutant.rules, mutant == Mutant.TWO_OBSERVERS_TAKE_OVER).run();
      if (!found.isEmpty()) {
        return;
      }
    }
    fail(mutant + " was not found in " + HISTORIES + " histories");
  }

  /** One process: between {@code stoppedUntil} and now it does nothing. */
  private static final class Candidate {
    final long pid;
    Leadership leadership;
    long stoppedUntilNs;
    long nextTurnNs;

    Candidate(long pid, Leadership leadership) {
      this.pid = pid;
      this.leadership = leadership;
    }
  }

  private static final class History {
    private final SplittableRandom random;
    private final ClaimRules rules;
    private final SimulatedHost host = new SimulatedHost();
    private final @Nullable UnlockedStore store;
    private final List<Candidate> processes = new ArrayList<>();
    final Map<Event, Integer> seen = new EnumMap<>(Event.class);
    private long names;

    History(long seed, ClaimRules rules, boolean unlocked) {
      this.random = new SplittableRandom(seed);
      this.rules = rules;
      this.store = unlocked ? new UnlockedStore(host) : null;
    }

    /** What is wrong; empty if nothing is. */
    String run() {
      for (int i = 0; i < PROCESSES; i++) {
        processes.add(started(100 + i));
      }
      for (int step = 0; step < STEPS; step++) {
        disturb();
        String wrong = second();
        if (!wrong.isEmpty()) {
          return wrong + ", step " + step;
        }
      }
      host.breaks("");
      for (Candidate process : processes) {
        process.stoppedUntilNs = 0;
      }
      int led = 0;
      for (int second = 0; second < 60; second++) {
        String wrong = second();
        led += second >= 30 ? acting() : 0;
        if (!wrong.isEmpty()) {
          return wrong + " at the end";
        }
      }
      // Not at each moment: one may just have given way to another one that had asked.
      return led < 15 ? "led for " + led + " s of 30, half a minute after all trouble" : "";
    }

    private Candidate started(long pid) {
      String name = "i" + names++;
      host.process(name, pid, rules); // it is alive
      long notBefore = host.monotonicNs();
      ClaimStore file = store == null ? host : store;
      return new Candidate(pid, new Leadership(name, pid, file, host, host, notBefore, rules));
    }

    private void disturb() {
      Candidate one = processes.get(random.nextInt(processes.size()));
      boolean leads = one.leadership.phase() == Phase.LEADING;
      switch (random.nextInt(24)) {
        case 0 -> { // killed, and started again under another pid
          host.dies(one.pid);
          processes.remove(one);
          processes.add(started(1_000 + names));
          mark(leads, Event.TAKEOVER_OF_THE_DEAD);
        }
        case 1 -> { // killed; its pid is that of another program from now on
          processes.remove(one);
          processes.add(started(2_000 + names));
          mark(leads, Event.TAKEOVER_OF_A_RECYCLED_PID);
        }
        case 2, 3 ->
            one.stoppedUntilNs = // SIGSTOP
                host.monotonicNs() + random.nextInt(40) * SimulatedHost.SECOND;
        case 4 -> one.leadership.ask();
        case 5 -> {
          host.write("scribble " + random.nextInt());
          mark(true, Event.MENDED);
        }
        case 6 -> host.breaks(random.nextBoolean() ? "no space left" : "");
        case 7 -> host.clockJumps(random.nextInt(-10_000, 10_000));
        default -> host.breaks("");
      }
    }

    private void mark(boolean happened, Event event) {
      if (happened) {
        seen.merge(event, 1, Integer::sum);
      }
    }

    private String second() {
      host.passes(1);
      List<Candidate> now = new ArrayList<>(processes);
      if (store != null) {
        store.begin();
      }
      for (Candidate process : now) {
        if (process.stoppedUntilNs > host.monotonicNs()) {
          continue;
        }
        if (process.nextTurnNs <= host.monotonicNs()) {
          process.nextTurnNs = host.monotonicNs() + Leadership.REFRESH_NS;
          process.leadership.refresh();
        }
      }
      if (store != null) {
        store.end();
      }
      for (Candidate process : now) {
        if (process.stoppedUntilNs <= host.monotonicNs()) {
          endIfOver(process);
        }
      }
      return acting() > 1 ? "two act at once" : "";
    }

    /** A leader that is over stops, releases, and observes anew. */
    private void endIfOver(Candidate process) {
      if (process.leadership.phase() == Phase.LEADING && !process.leadership.isLeader()) {
        mark(true, Event.STOPPED_LEADER_FOLLOWED);
      }
      if (process.leadership.phase() != Phase.OVER) {
        return;
      }
      mark(process.leadership.lostBecause().orElse("").contains("asked"), Event.HANDED_OVER);
      try {
        process.leadership.release();
      } catch (ClaimException e) {
        return; // tried again
      }
      processes.remove(process);
      processes.add(started(process.pid));
    }

    /** How many would act if they were asked now; who is stopped is not. */
    private int acting() {
      int count = 0;
      for (Candidate process : List.copyOf(processes)) {
        if (process.stoppedUntilNs <= host.monotonicNs() && process.leadership.isLeader()) {
          count++;
        }
      }
      return count;
    }
  }

  /** All who look in one second see what was there at its beginning, and all write. */
  private static final class UnlockedStore implements ClaimStore {
    private final SimulatedHost host;
    private ClaimContent before = new Free();
    private boolean isShared;

    UnlockedStore(SimulatedHost host) {
      this.host = host;
    }

    void begin() {
      before = host.content();
      isShared = true;
    }

    void end() {
      isShared = false;
    }

    @Override
    public ClaimContent exchange(Function<ClaimContent, Optional<ClaimContent>> decide)
        throws ClaimException {
      if (!isShared) {
        return host.exchange(decide);
      }
      Optional<ClaimContent> wanted = decide.apply(before);
      ClaimContent there = wanted.orElse(before);
      if (wanted.isPresent()) {
        var _ = host.exchange(_ -> wanted);
      }
      return there;
    }
  }
}
