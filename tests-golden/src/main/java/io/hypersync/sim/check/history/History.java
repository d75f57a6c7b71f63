package io.hypersync.sim.check.history;

import io.hypersync.sim.check.Violation;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The calls on one object, in the order in which they were made.
 *
 * @param <I> what is asked
 * @param <O> what is answered
 */
public final class History<I, O> {
  private final LongSupplier numbers;
  private final List<Call<I, O>> calls = new ArrayList<>();
  private final BitSet voided = new BitSet();

  /**
   * Nobody has called.
   *
   * @param numbers gives every event of the history a higher one
   */
  public History(LongSupplier numbers) {
    this.numbers = numbers;
  }

  /** A process calls; returns the number by which the call is answered. */
  public int called(String process, I input) {
    calls.add(new Call<>(process, input, null, numbers.getAsLong(), Call.NEVER));
    return calls.size() - 1;
  }

  /** A call is answered; null if that does not say what happened. */
  public void answered(int call, @Nullable O output) {
    if (output != null) {
      Call<I, O> made = calls.get(call);
      calls.set(
          call,
          new Call<>(made.process(), made.input(), output, made.calledAt(), numbers.getAsLong()));
    }
  }

  /** A call is refused, or answered with what promises nothing: it counts as never made. */
  public void forget(int call) {
    voided.set(call);
  }

  /** How many calls there were. */
  public int size() {
    return calls.size();
  }

  /** Fails if no order of the calls explains the answers. */
  public <S> Verdict check(Model<S, I, O> model) {
    List<Call<I, O>> counting = new ArrayList<>();
    for (int i = 0; i < calls.size(); i++) {
      if (!voided.get(i)) {
        counting.add(calls.get(i));
      }
    }
    Verdict verdict = Linearizability.check(model, model.relevant(counting));
    if (verdict == Verdict.WRONG) {
      StringBuilder what = new StringBuilder("no order of these calls explains what was answered:");
      counting.forEach(call -> what.append("\n  ").append(call));
      throw new Violation(what.toString());
    }
    return verdict;
  }
}
