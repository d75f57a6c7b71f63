package io.hypersync.model.state;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.model.op.FsOp;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A row of a test table: the setup, one op, and the expected result.
 *
 * @param expected an errno, or all changes as {@link StateText#changesTo} writes them
 */
record OpRow(String what, Consumer<Scenario> setup, Function<Scenario, FsOp> op, String expected) {

  static OpRow row(
      String what, Consumer<Scenario> setup, Function<Scenario, FsOp> op, String... expected) {
    return new OpRow(what, setup, op, String.join("\n", expected));
  }

  void check() {
    Scenario scenario = new Scenario();
    setup.accept(scenario);
    assertEquals(expected, scenario.outcome(op.apply(scenario)), what);
  }

  @Override
  public String toString() {
    return what;
  }
}
