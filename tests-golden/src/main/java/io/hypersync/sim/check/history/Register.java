package io.hypersync.sim.check.history;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One value that is written and read as a whole: the content of a file. */
public final class Register implements Model<Long, Register.Input, Long> {
  /** What is read before anything was written. */
  public static final long NOTHING = 0;

  /** A register that nobody has written to. */
  public Register() {}

  /** What can be asked; a write answers its own value. */
  public sealed interface Input {}

  /** The value is another one from now on. */
  public record Write(long value) implements Input {}

  /** What is the value? */
  public record Read() implements Input {}

  @Override
  public Long initial() {
    return NOTHING;
  }

  /** Without reads of unknown end, and such writes of what nobody has read. */
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
