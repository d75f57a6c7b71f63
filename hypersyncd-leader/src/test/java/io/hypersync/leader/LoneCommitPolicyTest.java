package io.hypersync.leader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoneCommitPolicyTest {
  /**
   * Each row: a string of turns, and who writes in each of them. Turns: a is a lone intent, c
   * several intents, L a lone intent whose write is slow. Writers: d is the agent's thread, t the
   * log's thread.
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
    LoneCommitPolicy rule = new LoneCommitPolicy();
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
  @CsvSource({"1, 1", "2, 28", "20, 208", "500, 5008", "2000, 10008"})
  void theSlowerTheDiskTheMoreIsLeftToTheThread(int millis, int oneIn) {
    LoneCommitPolicy rule = new LoneCommitPolicy();
    for (int i = 0; i < 7; i++) {
      assertFalse(rule.isWorthwhile(true), "it may have company yet");
    }
    int turns = 100_000;
    int direct = 0;
    for (int i = 0; i < turns; i++) {
      if (rule.isWorthwhile(true)) {
        direct++;
        rule.took(millis * 1_000_000L);
      }
    }
    assertEquals((double) turns / oneIn, direct, 1);
  }
}
