package io.hypersync.sim.check.history;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An object as one caller alone would see it.
 *
 * @param <S> its states, compared by {@code equals}
 * @param <I> what is asked of it
 * @param <O> what it answers
 */
public interface Model<S, I, O> {
  /** The state before the first call. */
  S initial();

  /**
   * The state after a call, or null if a call in this state is not answered like that.
   *
   * @param output null if it is not known, which any answer explains
   */
  @Nullable S step(S state, I input, @Nullable O output);

  /**
   * The calls without some of unknown end that cannot help to explain the others, so that there are
   * fewer orders to try.
   */
  default List<Call<I, O>> relevant(List<Call<I, O>> calls) {
    return calls;
  }
}
