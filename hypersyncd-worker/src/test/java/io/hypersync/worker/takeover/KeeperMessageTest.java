package io.hypersync.worker.takeover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

/** What workers and keepers of different builds say to each other. */
class KeeperMessageTest {
  /** A program of an earlier version knows nothing of successors, and is understood. */
  @Test
  void eachKindHasTheVersionInWhichItIsNew() {
    assertEquals(1, KeeperMessage.of(KeeperMessage.Kind.TAKE).encoded()[5]);
    byte[] restart = KeeperMessage.of(KeeperMessage.Kind.RESTART, "/l").encoded();
    assertEquals(2, restart[5]);
    assertEquals("/l", KeeperMessage.decode(restart).text());
    restart[5] = 1;
    assertThrows(IllegalArgumentException.class, () -> KeeperMessage.decode(restart));
  }

  @Test
  void howAProcessHasComeToServeIsRead() {
    Succession told = new Succession(Succession.How.FELL_BACK, 123_456_789L, 3);
    assertEquals(told, Succession.decode(told.encoded()));
    assertEquals(
        Succession.How.DIED, Succession.decode(new byte[0]).how(), "of an earlier keeper's answer");
    SuccessorBuild build = new SuccessorBuild("0.1.0", 11);
    assertEquals(build, SuccessorBuild.decode(build.encoded()));
    assertThrows(IllegalArgumentException.class, () -> SuccessorBuild.decode("0.1.0"));
  }
}
