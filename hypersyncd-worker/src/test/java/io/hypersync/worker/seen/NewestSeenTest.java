package io.hypersync.worker.seen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.hash.Hash;
import io.hypersync.wire.message.SeenState;
import org.junit.jupiter.api.Test;

/** What a worker has seen is never less than it was, unless the leader was rewound. */
final class NewestSeenTest {
  private static final Hash OLD = new Hash(1, 1, 1, 1);
  private static final Hash NEW = new Hash(2, 2, 2, 2);

  private final NewestSeen seen = new NewestSeen();

  @Test
  void aWorkerThatIsNewHasSeenNothing() {
    assertEquals(SeenState.NONE, seen.at(0, OLD));
  }

  @Test
  void whatIsShownCounts() {
    seen.welcomed(0, 0, 3, OLD);
    assertEquals(new SeenState(0, 0, 5, NEW), seen.at(5, NEW));
  }

  /** Else it would end each leader of a workspace that was rewound: it says lineage 0. */
  @Test
  void whatIsShownBeforeAnyLeaderIsKnownIsOfNoLineage() {
    assertEquals(SeenState.NONE, seen.at(5, NEW));
    seen.welcomed(7, 2, 5, NEW);
    assertEquals(new SeenState(7, 2, 5, NEW), seen.at(5, NEW));
  }

  @Test
  void whoStartsFromAnOlderSnapshotStillKnowsWhatItHasSeen() {
    seen.remember(new SeenState(0, 0, 9, NEW));
    assertEquals(new SeenState(0, 0, 9, NEW), seen.at(5, OLD));
    seen.welcomed(0, 0, 5, OLD);
    assertEquals(new SeenState(0, 0, 9, NEW), seen.at(8, OLD));
    assertEquals(new SeenState(0, 0, 10, OLD), seen.at(10, OLD));
  }

  @Test
  void ofALeaderThatWasRewoundOnlyWhatIsShownCounts() {
    seen.remember(new SeenState(0, 0, 9, NEW));
    seen.welcomed(7, 0, 5, OLD);
    assertEquals(new SeenState(7, 0, 5, OLD), seen.at(5, OLD));
    assertEquals(new SeenState(7, 0, 6, NEW), seen.at(6, NEW));
  }

  @Test
  void aTakeoverKeepsWhatWasSeenUnderAHigherTerm() {
    seen.remember(new SeenState(0, 2, 9, NEW));
    assertFalse(seen.isDeposed(0, 2));
    assertFalse(seen.isDeposed(0, 3));
    seen.welcomed(0, 3, 5, OLD);
    assertEquals(new SeenState(0, 3, 9, NEW), seen.at(8, OLD));
    assertEquals(new SeenState(0, 3, 10, OLD), seen.at(10, OLD));
  }

  @Test
  void aLeaderOfALowerTermWasDeposed() {
    seen.remember(new SeenState(7, 2, 9, NEW));
    assertTrue(seen.isDeposed(7, 1));
    assertTrue(seen.isDeposed(7, 0));
  }

  @Test
  void termsOfAnotherLineageAreNotCompared() {
    seen.remember(new SeenState(7, 2, 9, NEW));
    assertFalse(seen.isDeposed(8, 0));
    seen.welcomed(8, 0, 5, OLD);
    assertEquals(new SeenState(8, 0, 5, OLD), seen.at(5, OLD));
  }

  /** Else it would take entries from the deposed one after a reconnect. */
  @Test
  void theTermCountsBeforeAnythingIsShown() {
    seen.welcomed(0, 4, 0, OLD);
    assertTrue(seen.isDeposed(0, 3));
  }
}
