package io.hypersync.cli.practice;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is practised: the calls are served by both agents, and leave nothing. */
class RehearsalTest {
  private final Rehearsal rehearsal = new Rehearsal();

  @BeforeEach
  void join() throws InterruptedException {
    rehearsal.begin();
  }

  @Test
  void eachMutationOfARoundIsAnEntryThatTheWorkerShows() {
    long before = rehearsal.visible();
    assertEquals(before + rehearsal.round(), rehearsal.visible());
  }

  /** One in eight rounds writes what does not fit into an entry, so that its chunk is uploaded. */
  @Test
  void manyRoundsInARowAreServedAndLeaveNoFile() {
    for (int i = 0; i < 200; i++) {
      assertTrue(rehearsal.round() > 0);
      assertEquals(0, rehearsal.files());
    }
  }
}
