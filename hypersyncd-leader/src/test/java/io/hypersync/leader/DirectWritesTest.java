package io.hypersync.leader;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DirectWritesTest {
  /**
   * Turns: a lone intent, c with company, L a lone one whose write is slow. Below each what is
   * done: d the agent writes, t the thread does.
   */
  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "        aaaaaaaaaa, tttttttddd",
    "aaaaaaaaacaaaaaaaa, tttttttddttttttttd",
    "        cccccccccc, tttttttttt",
    "  aaaaaaaLaaaaaaaa, tttttttdtttttttt",
    " aaaaaaaLaacaaaaaa, tttttttdttttttttt",
    "  LLLLLLLLLLLLLLLL, tttttttdtttttttt",
  })
  void decides(String commits, String expected) {
    DirectWrites rule = new DirectWrites();
    StringBuilder done = new StringBuilder();
    for (int i = 0; i < commits.length(); i++) {
      char commit = commits.charAt(i);
      boolean direct = rule.isWorthwhile(commit != 'c');
      done.append(direct ? 'd' : 't');
      if (direct) {
        rule.took(commit == 'L' ? 2_000_000 : 1_900_000);
      }
    }
    assertEquals(expected, done.toString());
  }

  @ParameterizedTest(name = "{0} ms: one in {1}")
  @CsvSource({"1, 1", "2, 108", "20, 1008", "500, 10008"})
  void theSlowerTheDiskTheMoreIsLeftToTheThread(int millis, int oneIn) {
    DirectWrites rule = new DirectWrites();
    int turns = 100_000;
    int direct = 0;
    for (int i = 0; i < turns; i++) {
      if (rule.isWorthwhile(true)) {
        direct++;
        rule.took(millis * 1_000_000L);
      }
    }
    assertEquals((double) turns / oneIn, direct, 10);
  }
}
