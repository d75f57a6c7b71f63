package io.hypersync.sim.check.history;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Model of one value that is written and read as a whole: the content of a file. */
public final class Register implements Model<Long, Register.Input, Long> {
  /** The value before the first write. */
  public static final long NOTHING = 0;

  public Register() {}

  /** The calls. The output of both is the value; a write returns its own. */
  public sealed interface Input {}

  /** Sets the value. */
  public record Write(long value) implements Input {}

  /** Returns the value. */
  public record Read() implements Input {}

  @Override
  public Long initial() {
    return NOTHING;
  }

  /**
   * Drops reads without an answer, and writes without an answer whose value no read has returned.
   */
  @Override
  public List<Call<Input, Long>> relevant(List<Call<Input, Long>> calls) {
    Set<Long> read = new HashSet<>();
    for (Call<Input, Long> call : calls) {
      if (call.input() instanceof Read && call.output() != null) {
        read.add(call.output());
      }
    }
    return calls.stream()
        .filter(
            call ->
                call.answeredAt() != Call.NEVER
                    || (call.input() instanceof Write(long value) && read.contains(value)))
        .toList();
  }

  @Override
  public @Nullable Long step(Long state, Input input, @Nullable Long output) {
    return switch (input) {
      case Write(long value) -> value;
      case Read() -> output == null || output.equals(state) ? state : null;
    };
  }
}
