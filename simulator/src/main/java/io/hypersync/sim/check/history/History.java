package io.hypersync.sim.check.history;

import io.hypersync.sim.check.Violation;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The calls on one object, in the order in which they were made. Not thread-safe.
 *
 * @param <I> type of inputs
 * @param <O> type of outputs
 */
public final class History<I, O> {
  private final LongSupplier numbers;
  private final List<Call<I, O>> calls = new ArrayList<>();
  private final BitSet voided = new BitSet();

  /**
   * Creates an empty history.
   *
   * @param numbers gives a strictly greater number for each event
   */
  public History(LongSupplier numbers) {
    this.numbers = numbers;
  }

  /** Records a call; returns the number to pass to {@link #answered} or {@link #forget}. */
  public int called(String process, I input) {
    calls.add(new Call<>(process, input, null, numbers.getAsLong(), Call.NEVER));
    return calls.size() - 1;
  }

  /** Records the answer to a call; null if it does not say whether the call took effect. */
  public void answered(int call, @Nullable O output) {
    if (output != null) {
      Call<I, O> made = calls.get(call);
      calls.set(
          call,
          new Call<>(made.process(), made.input(), output, made.calledAt(), numbers.getAsLong()));
    }
  }

  /**
   * Removes a call from the check: it was refused without effect, or its answer promises nothing.
   */
  public void forget(int call) {
    voided.set(call);
  }

  /** Number of recorded calls. */
  public int size() {
    return calls.size();
  }

  /**
   * Checks whether the calls are linearizable.
   *
   * @throws Violation if no order of the calls explains the answers
   */
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
