package io.hypersync.worker.seen;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
    assertEquals(new SeenState(0, 5, NEW), seen.at(5, NEW));
  }

  @Test
  void whoStartsFromAnOlderSnapshotStillKnowsWhatItHasSeen() {
    seen.remember(new SeenState(0, 9, NEW));
    assertEquals(new SeenState(0, 9, NEW), seen.at(5, OLD));
    seen.welcomed(0, 5, OLD);
    assertEquals(new SeenState(0, 9, NEW), seen.at(8, OLD));
    assertEquals(new SeenState(0, 10, OLD), seen.at(10, OLD));
  }

  @Test
  void ofALeaderThatWasRewoundOnlyWhatIsShownCounts() {
    seen.remember(new SeenState(0, 9, NEW));
    seen.welcomed(7, 5, OLD);
    assertEquals(new SeenState(7, 5, OLD), seen.at(5, OLD));
    assertEquals(new SeenState(7, 6, NEW), seen.at(6, NEW));
  }
}
