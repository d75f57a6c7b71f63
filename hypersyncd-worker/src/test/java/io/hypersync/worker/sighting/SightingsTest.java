package io.hypersync.worker.sighting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.hazard.CallContext;
import io.hypersync.model.id.NodeId;
import io.hypersync.worker.fuse.protocol.CallerAgent;
import org.junit.jupiter.api.Test;

/** Who may have read what. What is not sure counts as read. */
class SightingsTest {
  private static final NodeId FILE = new NodeId(1, 1);
  private static final NodeId OTHER = new NodeId(1, 2);
  private static final CallerAgent BLUE = CallerAgent.found("Blue");
  private static final CallerAgent GREEN = CallerAgent.found("Green");

  private long visible = 10;
  private final Sightings sightings = new Sightings(() -> visible);

  private void reads(NodeId file, CallerAgent agent) {
    sightings.opened(file, agent);
    sightings.closed(file, agent);
  }

  @Test
  void whatWasBeforeTheStartMayHaveBeenReadByAnybody() {
    assertEquals(10, sightings.seen(FILE, BLUE));
    visible = 20;
    assertEquals(10, sightings.seen(FILE, BLUE));
  }

  @Test
  void anAgentHasSeenWhatWasVisibleWhenItClosedTheFileLast() {
    visible = 20;
    reads(FILE, BLUE);
    visible = 30;
    sightings.opened(FILE, BLUE);
    visible = 40;
    sightings.closed(FILE, BLUE);
    visible = 50;
    assertEquals(40, sightings.seen(FILE, BLUE));
    assertEquals(10, sightings.seen(FILE, GREEN));
    assertEquals(10, sightings.seen(OTHER, BLUE));
  }

  @Test
  void whoHasItOpenMayBeReadingIt() {
    reads(OTHER, GREEN);
    visible = 20;
    sightings.opened(FILE, BLUE);
    sightings.opened(FILE, BLUE);
    sightings.closed(FILE, BLUE);
    assertEquals(CallContext.NOT_KNOWN, sightings.seen(FILE, BLUE), "one of two handles is left");
    assertEquals(10, sightings.seen(FILE, GREEN));
    sightings.closed(FILE, BLUE);
    assertEquals(20, sightings.seen(FILE, BLUE));
  }

  @Test
  void aReaderWithoutANameMayBeAnybody() {
    reads(OTHER, GREEN);
    visible = 20;
    sightings.opened(FILE, CallerAgent.LATE);
    assertEquals(CallContext.NOT_KNOWN, sightings.seen(FILE, BLUE));
    visible = 30;
    sightings.closed(FILE, CallerAgent.LATE);
    assertEquals(30, sightings.seen(FILE, BLUE));
    assertEquals(10, sightings.seen(OTHER, BLUE));
  }

  @Test
  void ofAWriterWithoutANameNothingIsSaid() {
    reads(FILE, BLUE);
    assertEquals(CallContext.NOT_KNOWN, sightings.seen(FILE, CallerAgent.LATE));
    assertEquals(CallContext.NOT_KNOWN, sightings.seen(FILE, CallerAgent.NONE));
  }

  @Test
  void aNameIsTheSameInEitherCase() {
    reads(OTHER, BLUE);
    visible = 20;
    reads(FILE, CallerAgent.found("bLUE"));
    assertEquals(20, sightings.seen(FILE, BLUE));
  }

  @Test
  void manyFilesAreBoundedAndWhatIsForgottenCountsAsRead() {
    reads(FILE, GREEN);
    visible = 20;
    reads(FILE, BLUE);
    visible = 30;
    for (int i = 0; i < Sightings.MOST_FILES; i++) {
      reads(new NodeId(2, i), GREEN);
    }
    assertTrue(sightings.size() <= Sightings.MOST_FILES);
    visible = 40;
    assertEquals(20, sightings.seen(FILE, GREEN), "though it has seen 10 only");
    assertEquals(20, sightings.seen(OTHER, GREEN));
  }

  @Test
  void manyAgentsOfOneFileAreBounded() {
    reads(OTHER, GREEN);
    for (int i = 0; i < 10 * Sightings.MOST_AGENTS; i++) {
      visible++;
      reads(FILE, CallerAgent.found("agent " + i));
    }
    assertTrue(
        sightings.seen(FILE, CallerAgent.found("agent 1")) >= 12, "not less than it has seen");
    assertEquals(visible, sightings.seen(FILE, CallerAgent.found("agent 319")));
  }
}
