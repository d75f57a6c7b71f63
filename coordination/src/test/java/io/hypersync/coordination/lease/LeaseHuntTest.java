package io.hypersync.coordination.lease;

import static io.hypersync.coordination.lease.HostClock.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.hypersync.coordination.cas.MemoryCasStore;
import io.hypersync.coordination.cas.MemoryCasStore.Fault;
import io.hypersync.coordination.lease.BackgroundLease.Phase;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random histories of three hosts: their processes are killed, stopped for a while, started again,
 * end in order; their clocks are set; the store does not answer, or answers nobody after it has
 * written; somebody removes the record. Never may two work at once, and soon after the trouble is
 * over one may.
 */
final class LeaseHuntTest {
  private static final int HISTORIES = 400;
  private static final int SECONDS = 600;
  private static final int HOSTS = 3;
  private static final String KEY = "background";

  /** What a run is to have seen, so that it proves something. */
  private enum Event {
    TAKEOVER_OF_THE_DEAD,
    RELEASED,
    STOPPED_HOLDER_FOLLOWED,
    OWN_WRITE_FOUND,
    RECORD_REMOVED
  }

  /** A wrong program, which the same hunt has to catch. */
  @SuppressWarnings("ImmutableEnumChecker") // rules have no state
  enum Mutant {
    TAKES_WHAT_IS_STILL_TRUSTED(
        new LeaseRules() {
          @Override
          boolean isExpired(long unchangedNs, LeaseTimes times) {
            return unchangedNs > times.ttlNs() / 2;
          }
        }),
    TRUSTS_ITS_LEASE_FOR_EVER(
        new LeaseRules() {
          @Override
          boolean isTrusted(long nowNs, long trustedUntilNs) {
            return true;
          }
        }),
    RENEWAL_LOSS_IGNORED(
        new LeaseRules() {
          @Override
          boolean isOwn(LeaseContent found, long run) {
            return true;
          }
        }),
    RELEASE_THAT_STOMPS_THE_SUCCESSOR(
        new LeaseRules() {
          @Override
          boolean mayRelease(LeaseContent found, long run) {
            return true;
          }
        }),
    NEVER_TAKES_WHAT_HAS_EXPIRED(
        new LeaseRules() {
          @Override
          boolean isExpired(long unchangedNs, LeaseTimes times) {
            return false;
          }
        });

    private final LeaseRules rules;

    Mutant(LeaseRules rules) {
      this.rules = rules;
    }
  }

  @Test
  void neverDoTwoWorkAndSoonOneDoes() {
    Map<Event, Integer> seen = new EnumMap<>(Event.class);
    for (long seed = 0; seed < HISTORIES; seed++) {
      History history = new History(seed, new LeaseRules());
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
      if (!new History(seed, mutant.rules).run().isEmpty()) {
        return;
      }
    }
    fail(mutant + " was not found in " + HISTORIES + " histories");
  }

  /** A host and its process, which does nothing before {@code stoppedUntil}. */
  private static final class Host {
    final HostClock clock;
    BackgroundLease lease;
    long stoppedUntil;
    long nextTurnNs;

    Host(HostClock clock, BackgroundLease lease) {
      this.clock = clock;
      this.lease = lease;
    }
  }

  private static final class History {
    private final SplittableRandom random;
    private final LeaseRules rules;
    private final MemoryCasStore store = new MemoryCasStore();
    private final List<Host> hosts = new ArrayList<>();
    final Map<Event, Integer> seen = new EnumMap<>(Event.class);
    private long second;
    private long runs;
    private boolean isTroubled = true;

    History(long seed, LeaseRules rules) {
      this.random = new SplittableRandom(seed);
      this.rules = rules;
    }

    /** What is wrong; empty if nothing is. */
    String run() {
      store.faults((operation, key) -> fault());
      for (int i = 0; i < HOSTS; i++) {
        HostClock clock =
            new HostClock(random.nextLong(-1_000, 1_000) * SECOND, random.nextInt(1_000) * SECOND);
        hosts.add(new Host(clock, process(clock)));
      }
      while (second < SECONDS) {
        disturb();
        String wrong = pass();
        if (!wrong.isEmpty()) {
          return wrong + " in second " + second;
        }
      }
      isTroubled = false;
      hosts.forEach(host -> host.stoppedUntil = 0);
      int worked = 0;
      for (int quiet = 0; quiet < 100; quiet++) {
        String wrong = pass();
        if (!wrong.isEmpty()) {
          return wrong + " at the end";
        }
        worked += quiet >= 40 && working() == 1 ? 1 : 0;
      }
      return worked < 60 ? "worked for " + worked + " s of the last 60" : "";
    }

    private BackgroundLease process(HostClock clock) {
      runs++;
      return new BackgroundLease(
          KEY, "host" + runs % HOSTS, runs, LeaseTimes.DEFAULT, store, clock, rules);
    }

    private Fault fault() {
      if (!isTroubled || random.nextInt(5) > 0) {
        return Fault.NONE;
      }
      return random.nextBoolean() ? Fault.NOT_DONE : Fault.ANSWER_LOST;
    }

    private void disturb() {
      Host one = hosts.get(random.nextInt(HOSTS));
      boolean holds = one.lease.mayWork();
      switch (random.nextInt(60)) {
        case 0 -> { // killed, and started again
          one.lease = process(one.clock);
          one.nextTurnNs = one.clock.monotonicNs();
          mark(holds, Event.TAKEOVER_OF_THE_DEAD);
        }
        case 1 -> { // ends in order, and is started again
          one.lease.release();
          one.lease = process(one.clock);
          one.nextTurnNs = one.clock.monotonicNs();
          mark(holds, Event.RELEASED);
        }
        case 2, 3 -> one.stoppedUntil = second + random.nextInt(80);
        case 4 -> one.clock.jumps(random.nextInt(-10_000, 10_000));
        case 5 -> removed();
        default -> {}
      }
    }

    /**
     * Somebody removes the record by hand, which is allowed when nobody trusts it only: this is the
     * one thing that takes a lease from its holder.
     */
    private void removed() {
      if (hosts.stream().noneMatch(host -> host.lease.mayWork())) {
        store.remove(KEY);
        mark(true, Event.RECORD_REMOVED);
      }
    }

    private void mark(boolean happened, Event event) {
      if (happened) {
        seen.merge(event, 1, Integer::sum);
      }
    }

    private String pass() {
      second++;
      for (Host host : hosts) {
        host.clock.passes(SECOND);
      }
      for (Host host : hosts) {
        if (host.stoppedUntil > second || host.nextTurnNs - host.clock.monotonicNs() > 0) {
          continue;
        }
        Phase before = host.lease.view().phase();
        boolean failed = !host.lease.view().problem().isEmpty();
        host.nextTurnNs = host.clock.monotonicNs() + host.lease.turn();
        Phase after = host.lease.view().phase();
        mark(before == Phase.HOLDING && after == Phase.WAITING, Event.STOPPED_HOLDER_FOLLOWED);
        mark(
            failed && before == Phase.HOLDING && after == Phase.HOLDING && host.lease.mayWork(),
            Event.OWN_WRITE_FOUND);
      }
      return working() > 1 ? "two work at once" : "";
    }

    /** How many would work if they asked now, those who are stopped among them. */
    private long working() {
      return hosts.stream().filter(host -> host.lease.mayWork()).count();
    }
  }
}
