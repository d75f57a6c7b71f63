package io.hypersync.sim.check.history;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sequential specification of an object.
 *
 * @param <S> states, compared by {@code equals}
 * @param <I> type of inputs
 * @param <O> type of outputs
 */
public interface Model<S, I, O> {
  /** The state before the first call. */
  S initial();

  /**
   * The state after a call; null if a call in this state cannot give this output.
   *
   * @param output null if it is unknown, which means that any output is possible
   */
  @Nullable S step(S state, I input, @Nullable O output);

  /**
   * Drops calls with unknown output that cannot help to explain the others, which shrinks the
   * search space. Must not drop any call with an output.
   */
  default List<Call<I, O>> relevant(List<Call<I, O>> calls) {
    return calls;
  }
}
