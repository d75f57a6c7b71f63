package io.hypersync.model.invariant;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Invariants are asserted where assertions are on, and counted everywhere (hypersync.md 22.1). */
class InvariantTest {
  @Test
  void oneThatHoldsCostsNothing() {
    Invariant invariant = new Invariant("holds");
    invariant.check(true);
    assertEquals(0, invariant.broken());
  }

  @Test
  void oneThatIsBrokenIsAssertedAndCounted() {
    Invariant invariant = new Invariant("is_broken");
    AssertionError error = assertThrows(AssertionError.class, () -> invariant.check(false));
    assertEquals("invariant is broken: is_broken", error.getMessage());
    assertThrows(AssertionError.class, () -> invariant.check(false));
    assertEquals(2, invariant.broken());
  }

  @Test
  void eachHasANameOfItsOwn() {
    Set<String> names = new HashSet<>();
    Invariant.ALL.forEach(invariant -> names.add(invariant.name()));
    assertEquals(Invariant.ALL.size(), names.size());
  }
}
