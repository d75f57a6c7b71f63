package io.hypersync.leader;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DirectWritesTest {
  /**
   * Commits: a lone one, c one with company, L a lone one whose write is slow. Below each what is
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
        rule.took(commit == 'L' ? 6_000_000 : 4_000_000);
      }
    }
    assertEquals(expected, done.toString());
  }

  @Test
  void triesASlowDiskAgainAfterAThousandCommits() {
    DirectWrites rule = new DirectWrites();
    int direct = 0;
    for (int i = 0; i < 10_000; i++) {
      if (rule.isWorthwhile(true)) {
        direct++;
        rule.took(10_000_000);
      }
    }
    assertEquals(10, direct, 1);
  }
}
