package io.hypersync.cli.top;

import java.util.List;
import java.util.function.Consumer;

/** A terminal as {@code top} needs it. */
public interface TopScreen extends AutoCloseable {
  /** What comes from the terminal. */
  sealed interface Input {
    /** Somebody has typed, or pasted. */
    record Typed(String characters) implements Input {}

    /** All is to be drawn anew: its size is another one, or the process was stopped. */
    record Changed() implements Input {}

    /** It is to end: an interrupt, or nobody is there any more. */
    record Ended() implements Input {}
  }

  /** Begins to tell what comes; the consumer is called on any thread. */
  void listen(Consumer<Input> consumer);

  /** In columns, now. */
  int width();

  /** In lines, now. */
  int height();

  /** Shows these lines from the top on. */
  void show(List<Line> lines);

  /** Makes the terminal what it was. May be called again, from any thread. */
  @Override
  void close();
}
