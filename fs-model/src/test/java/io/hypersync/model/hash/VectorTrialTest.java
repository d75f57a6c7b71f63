package io.hypersync.model.hash;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.model.hash.VectorTrial.Verdict;
import org.junit.jupiter.api.Test;

class VectorTrialTest {
  private static final long ROUND_NS = 2_000_000;

  private final VectorTrial trial = new VectorTrial(true);

  @Test
  void vectorsThatAreFasterThreeTimesInARowWin() {
    assertEquals(Verdict.OPEN, faster());
    assertEquals(Verdict.OPEN, faster());
    assertEquals(Verdict.OPEN, slightlySlower(), "interrupted");
    assertEquals(Verdict.OPEN, faster());
    assertEquals(Verdict.OPEN, faster());
    assertEquals(Verdict.WON, faster());
  }

  /** As in a daemon that has many other methods compiled first. */
  @Test
  void vectorsThatWereSlowForLongWinStill() {
    assertEquals(Verdict.OPEN, slowFor(VectorTrial.MAX_SLOW_NS));
    assertEquals(Verdict.OPEN, faster());
    assertEquals(Verdict.OPEN, faster());
    assertEquals(Verdict.WON, faster());
  }

  @Test
  void vectorsThatStaySlowLose() {
    slowFor(VectorTrial.MAX_SLOW_NS);
    assertEquals(Verdict.LOST, slow());
  }

  @Test
  void vectorsThatAreCompiledAndNoFasterLoseSoon() {
    for (long ns = 0; ns < VectorTrial.MAX_TIED_NS; ns += ROUND_NS) {
      assertEquals(Verdict.OPEN, slightlySlower());
    }
    assertEquals(Verdict.LOST, slightlySlower());
  }

  @Test
  void whereCompiledIsEnoughVectorsNeedNotBeFaster() {
    VectorTrial compiled = new VectorTrial(false);
    assertEquals(Verdict.OPEN, compiled.round(ROUND_NS, ROUND_NS * 2 / 3));
    assertEquals(Verdict.OPEN, compiled.round(ROUND_NS, ROUND_NS / 2), "not compiled");
    assertEquals(Verdict.OPEN, compiled.round(ROUND_NS, ROUND_NS * 2 / 3));
    assertEquals(Verdict.OPEN, compiled.round(ROUND_NS, ROUND_NS * 2 / 3));
    assertEquals(Verdict.WON, compiled.round(ROUND_NS, ROUND_NS * 2 / 3));
  }

  private Verdict slowFor(long ns) {
    Verdict verdict = Verdict.OPEN;
    for (long slowNs = 0; slowNs < ns; slowNs += ROUND_NS) {
      verdict = slow();
    }
    return verdict;
  }

  private Verdict slow() {
    return trial.round(ROUND_NS, ROUND_NS / 100);
  }

  private Verdict slightlySlower() {
    return trial.round(ROUND_NS, ROUND_NS * 2 / 3);
  }

  private Verdict faster() {
    return trial.round(ROUND_NS, ROUND_NS * 2);
  }
}
