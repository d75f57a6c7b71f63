package io.hypersync.runtime.stages;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;

/** Recent and older durations, and a stage's share; all times are given by the test. */
class StageHistogramsTest {
  private static final long WINDOW = StageHistograms.WINDOW_NS;
  private static final long US = 1_000;

  private final StageHistograms<Stage> histograms =
      new StageHistograms<>(Stage.class, Stage.WHOLE, 0);

  private enum Stage {
    FIRST,
    SECOND,
    WHOLE
  }

  @Test
  void aStageHasItsCountItsPercentilesAndItsShare() {
    for (int i = 1; i <= 100; i++) {
      histograms.add(Stage.FIRST, 10 * US * i);
      histograms.add(Stage.WHOLE, 40 * US * i);
    }
    JsonNode first = histograms.sinceStart().path("first");
    assertEquals(100, first.path("count").asInt());
    assertEquals(500, first.path("us_p50").asDouble(), 5, "p50 of 10, 20, ... 1000");
    assertEquals(950, first.path("us_p95").asDouble(), 10);
    assertEquals(990, first.path("us_p99").asDouble(), 10);
    assertEquals(1_000, first.path("us_max").asDouble(), 10);
    assertEquals(0.25, first.path("share").asDouble());
    assertEquals(1, histograms.sinceStart().path("whole").path("share").asDouble());
  }

  @Test
  void aStageThatNothingPassesIsThereWithZeros() {
    histograms.add(Stage.WHOLE, US);
    JsonNode second = histograms.sinceStart().path("second");
    assertEquals(
        "{\"count\":0,\"us_p50\":0.0,\"us_p95\":0.0,\"us_p99\":0.0,\"us_max\":0.0,\"share\":0.0}",
        second.toString());
  }

  /**
   * One op at each of these times: how many are recent, and how many there are in all, after it.
   */
  @Test
  void recentIsThisWindowAndTheOneBefore() {
    long[][] table = {
      // time, recent, since the start
      {0, 1, 1},
      {WINDOW - 1, 2, 2},
      {WINDOW, 3, 3},
      {2 * WINDOW - 1, 4, 4},
      {2 * WINDOW, 3, 5},
      {3 * WINDOW, 2, 6},
      {5 * WINDOW, 1, 7}, // after two windows without ops
      {99 * WINDOW, 1, 8},
    };
    for (long[] row : table) {
      histograms.advance(row[0]);
      histograms.add(Stage.FIRST, US);
      assertEquals(
          row[1], histograms.recent(row[0]).path("first").path("count").asLong(), "at " + row[0]);
      assertEquals(row[2], histograms.count(Stage.FIRST), "at " + row[0]);
      assertEquals(row[2], histograms.sinceStart().path("first").path("count").asLong());
    }
  }

  @Test
  void whatIsAskedForLaterIsNotRecentThoughNothingCameSince() {
    histograms.add(Stage.FIRST, US);
    assertEquals(0, histograms.recent(2 * WINDOW).path("first").path("count").asInt());
    assertEquals(1, histograms.sinceStart().path("first").path("count").asInt());
  }

  /** The clocks of two threads are compared, so a duration can come out slightly negative. */
  @Test
  void lessThanNothingIsNothingAndTenMinutesAreTheMost() {
    histograms.add(Stage.FIRST, -5);
    histograms.add(Stage.SECOND, Long.MAX_VALUE);
    JsonNode tree = histograms.sinceStart();
    assertEquals(0, tree.path("first").path("us_max").asDouble(), 0.1);
    assertEquals(1, tree.path("first").path("count").asInt());
    assertEquals(600e6, tree.path("second").path("us_max").asDouble(), 6e6);
  }
}
