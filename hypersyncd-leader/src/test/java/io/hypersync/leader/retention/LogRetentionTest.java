package io.hypersync.leader.retention;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.leader.retention.LogRetention.Needs;
import io.hypersync.leader.retention.LogRetention.Segment;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LogRetentionTest {
  /** Full segments of 100 entries and 1,000 bytes; entry k is from second k. */
  private static final List<Segment> SEGMENTS =
      List.of(
          new Segment(100, 100, 1_000),
          new Segment(200, 200, 1_000),
          new Segment(300, 300, 1_000),
          new Segment(400, 400, 1_000));

  private static final long HEAD = 450;

  @ParameterizedTest(
      name = "{0} s, {1} entries, {2} bytes; a start needs > {3}, workers > {4}: through {5}")
  @CsvSource({
    // whichever is larger
    "100, 100, 9999, 450, 450, 300",
    "200, 100, 9999, 450, 450, 200",
    "100, 200, 9999, 450, 450, 200",
    "450, 1, 9999, 450, 450, 0",
    "1, 450, 9999, 450, 450, 0",
    // a start needs what no snapshot has
    "1, 1, 9999, 299, 450, 200",
    "1, 1, 9999, 300, 450, 300",
    "1, 1, 9999, 0, 450, 0",
    // connected workers get what they lack
    "1, 1, 9999, 450, 250, 200",
    "1, 1, 9999, 450, 0, 0",
    // the largest size wins over time, count and workers, but not over a start
    "999, 999, 5000, 450, 450, 0",
    "999, 999, 4999, 450, 450, 100",
    "999, 999, 3000, 450, 0, 200",
    "999, 999, 0, 450, 0, 400",
    "999, 999, 0, 250, 0, 200",
    "999, 999, 0, 99, 0, 0",
  })
  void whatMayGo(long duration, long entries, long bytes, long starts, long workers, long through) {
    LogRetention retention = new LogRetention(duration, entries, bytes);
    Needs needs = new Needs(starts, workers);
    assertEquals(through, retention.through(SEGMENTS, 1_000, HEAD, HEAD, needs));
  }

  @Test
  void ofALogOfOneSegmentNothingGoes() {
    LogRetention none = new LogRetention(0, 0, 0);
    assertEquals(0, none.through(List.of(), 1_000, HEAD, HEAD, new Needs(HEAD, HEAD)));
  }

  /** Without one the largest size could not win. */
  @ParameterizedTest(name = "{0} bytes, a start needs > {1}: {2}")
  @CsvSource({
    "15999, 0, true",
    "16000, 0, false",
    "11999, 100, true",
    "12000, 100, false",
    "3999, 399, true",
    "3999, 400, false",
  })
  void aSnapshotIsWantedWhenMuchOfTheLogIsInNone(long bytes, long starts, boolean wanted) {
    LogRetention retention = new LogRetention(0, 0, bytes);
    assertEquals(wanted, retention.wantsSnapshot(SEGMENTS, new Needs(starts, HEAD)));
  }

  @Test
  void allMayBeKept() {
    Needs nothing = new Needs(HEAD, HEAD);
    assertEquals(0, LogRetention.ALL.through(SEGMENTS, 1_000, HEAD, Long.MAX_VALUE, nothing));
  }
}
