package io.hypersync.sim.check;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class OwnerCheckerTest {
  private final OwnerChecker checker = new OwnerChecker();

  @Test
  void anOwnerMayRunPartsWithinParts() {
    checker.run(() -> checker.run(() -> assertTrue(checker.isRunning())));
    assertFalse(checker.isRunning());
    assertDoesNotThrow(checker::check);
  }

  @Test
  void anotherThreadMayNotOwnTheAgentsMeanwhile() {
    checker.run(
        () -> {
          Thread other =
              Thread.ofPlatform()
                  .unstarted(() -> assertThrows(Violation.class, () -> checker.run(() -> {})));
          other.start();
          assertDoesNotThrow(() -> other.join());
        });
    assertThrows(Violation.class, checker::check);
  }

  @Test
  void whatATaskThrowsIsFoundAfterTheStepThoughTheProductGoesOn() {
    IllegalStateException why = new IllegalStateException("wrong");
    assertThrows(
        IllegalStateException.class,
        () ->
            checker.run(
                () -> {
                  throw why;
                }));
    assertThrows(IllegalStateException.class, checker::check);
  }

  @Test
  void aStreamThatWasRefusedMustBeToldOfBeforeHomeGoesOn() {
    checker.refused("log");
    assertThrows(Violation.class, checker::homeWasOwner);
    checker.settled("log");
    assertDoesNotThrow(checker::homeWasOwner);
  }

  @Test
  void messagesReachTheNetworkInTheirOrder() {
    checker.sending("w2", "first");
    checker.sending("w2", "second");
    assertThrows(Violation.class, () -> checker.sent("w2", "second"));
  }

  @Test
  void whoLeavesSomethingWakesHome() {
    assertDoesNotThrow(() -> checker.gaveBack(false, false));
    assertDoesNotThrow(() -> checker.gaveBack(true, true));
    assertThrows(Violation.class, () -> checker.gaveBack(true, false));
  }

  @Test
  void theNetworkIsItsThreadsAlone() {
    assertDoesNotThrow(() -> checker.network(false));
    assertThrows(Violation.class, () -> checker.network(true));
  }
}
