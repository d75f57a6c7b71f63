package io.hypersync.coordination.lease;

import static io.hypersync.coordination.lease.HostClock.SECOND;
import static io.hypersync.runtime.background.BackgroundJob.COLLECTION;
import static io.hypersync.runtime.background.BackgroundJob.SCRUB;
import static io.hypersync.runtime.background.BackgroundJob.SNAPSHOT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.coordination.cas.CasRecord;
import io.hypersync.coordination.cas.MemoryCasStore;
import io.hypersync.coordination.cas.MemoryCasStore.Fault;
import io.hypersync.coordination.lease.BackgroundLease.Phase;
import io.hypersync.coordination.lease.LeaseContent.Free;
import io.hypersync.runtime.background.BackgroundJob;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** When a job begins that leader and standbys do by turns. */
final class LeasedTurnsTest {
  private static final String KEY = "background";

  private final MemoryCasStore store = new MemoryCasStore();
  private final List<HostClock> clocks = new ArrayList<>();
  private long runs;

  private final class Replica {
    final BackgroundLease lease;
    final LeasedTurns turns;

    Replica(String name) {
      HostClock clock = new HostClock(clocks.size() * -7_777L * SECOND, 0);
      clocks.add(clock);
      lease = new BackgroundLease(KEY, name, ++runs, LeaseTimes.DEFAULT, store, clock);
      turns = new LeasedTurns(lease, LeaseTimes.DEFAULT, clock);
    }

    boolean holds() {
      return lease.view().phase() == Phase.HOLDING;
    }
  }

  private final Replica leader = new Replica("leader");
  private final Replica standby = new Replica("standby");

  /** For so long both look every second, and a job that is named asks every second. */
  private void passes(int seconds) {
    for (int i = 0; i < seconds; i++) {
      clocks.forEach(clock -> clock.passes(SECOND));
      leader.turns.turn();
      standby.turns.turn();
    }
  }

  private boolean beginsWithin(int seconds, Replica process, BackgroundJob job) {
    for (int i = 0; i < seconds; i++) {
      if (process.turns.begins(job)) {
        return true;
      }
      passes(1);
    }
    return false;
  }

  private void storeIsAway() {
    store.faults((_, _) -> Fault.NOT_DONE);
  }

  @Test
  void whoHasNothingToDoDoesNotAskForTheLease() throws Exception {
    passes(120);
    assertEquals(Optional.empty(), store.read(KEY));
  }

  @Test
  void aJobTakesTheLeaseAndGivesItBackWhenItHasEnded() throws Exception {
    assertFalse(leader.turns.begins(SNAPSHOT), "it has to be taken first");
    passes(1);
    assertTrue(leader.turns.begins(SNAPSHOT));
    passes(600);
    assertTrue(leader.holds() && leader.turns.goesOn(SNAPSHOT), "it is renewed meanwhile");
    assertEquals("leader", leader.turns.standing().holder());
    leader.turns.ended(SNAPSHOT);
    passes(1);
    assertFalse(leader.holds());
    assertEquals(new Free(), LeaseText.parse(store.read(KEY).map(CasRecord::value).orElseThrow()));
  }

  @Test
  void theOtherOneWaitsUntilThen() {
    assertTrue(beginsWithin(2, leader, SCRUB));
    assertFalse(beginsWithin(300, standby, COLLECTION));
    leader.turns.ended(SCRUB);
    assertTrue(beginsWithin(7, standby, COLLECTION));
    assertFalse(beginsWithin(60, leader, SCRUB));
  }

  /** Nobody starves, however much one of them has to do. */
  @Test
  void twoThatAlwaysHaveSomethingToDoTakeTurns() {
    List<String> order = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      for (Replica process : List.of(leader, standby)) {
        if (process.turns.begins(SNAPSHOT)) {
          order.add(process == leader ? "l" : "s");
          passes(1);
          process.turns.ended(SNAPSHOT);
        }
      }
      passes(1);
    }
    assertTrue(order.size() > 20, order::toString);
    for (int i = 1; i < order.size(); i++) {
      assertTrue(!order.get(i).equals(order.get(i - 1)), order::toString);
    }
  }

  @Test
  void jobsOfOneProcessShareTheLease() {
    assertTrue(beginsWithin(2, leader, SCRUB));
    assertTrue(leader.turns.begins(SNAPSHOT));
    leader.turns.ended(SCRUB);
    passes(60);
    assertTrue(leader.holds());
    leader.turns.ended(SNAPSHOT);
    passes(1);
    assertFalse(leader.holds());
  }

  @Test
  void aWishThatIsOverGivesTheLeaseBack() {
    assertFalse(leader.turns.begins(SNAPSHOT));
    passes(2);
    assertTrue(leader.holds());
    passes((int) (LeaseTimes.DEFAULT.ttlNs() / SECOND));
    assertFalse(leader.holds(), "nobody has asked since");
  }

  @Test
  void aLostLeaseEndsTheJobsThatRunUnderIt() {
    assertTrue(beginsWithin(2, leader, SCRUB));
    assertTrue(leader.turns.goesOn(COLLECTION), "which a user has asked for");
    storeIsAway();
    passes((int) (LeaseTimes.DEFAULT.ttlNs() / SECOND));
    assertFalse(leader.turns.goesOn(SCRUB));
    assertTrue(leader.turns.goesOn(COLLECTION));
    leader.turns.ended(SCRUB);
    assertFalse(leader.turns.begins(SCRUB), "nor does it begin again");
  }

  /** Else a store that is away would let a log grow until the disk is full. */
  @Test
  void withoutAStoreAJobBeginsWhenItHasWaitedForTenMinutes() {
    storeIsAway();
    int limit = (int) (LeasedTurns.OVERDUE_NS / SECOND);
    assertFalse(beginsWithin(limit, leader, SNAPSHOT));
    assertTrue(leader.turns.begins(SNAPSHOT));
    assertTrue(leader.turns.goesOn(SNAPSHOT));
    assertFalse(leader.turns.standing().problem().isEmpty());
    leader.turns.ended(SNAPSHOT);
    assertFalse(leader.turns.begins(SNAPSHOT), "the next one waits as long");
  }

  @Test
  void aStoreThatFailsInAnUnknownWayKeepsNobodyFromAnotherTurn() {
    assertTrue(beginsWithin(2, leader, SNAPSHOT));
    leader.turns.ended(SNAPSHOT);
    store.faults(
        (_, _) -> {
          throw new IllegalStateException("for a test");
        });
    assertThrows(IllegalStateException.class, leader.turns::turn);
    store.faults((_, _) -> Fault.NONE);
    assertTrue(beginsWithin(60, leader, SNAPSHOT));
  }

  @Test
  void whoEndsGivesTheLeaseBack() {
    assertTrue(beginsWithin(2, leader, SNAPSHOT));
    leader.turns.ended(SNAPSHOT);
    leader.turns.close();
    assertTrue(beginsWithin(7, standby, SNAPSHOT));
  }
}
