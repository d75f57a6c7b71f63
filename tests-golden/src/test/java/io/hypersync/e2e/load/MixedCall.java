package io.hypersync.e2e.load;

import java.util.List;

/**
 * One call of an actor. The first word is its name, the others are its arguments, as in {@code
 * mixed/actor.py}. Paths are relative to the shared directory.
 */
public record MixedCall(List<String> words) {
  public static MixedCall of(String... words) {
    return new MixedCall(List.of(words));
  }

  public String name() {
    return words.getFirst();
  }

  public String argument(int index) {
    return words.get(index + 1);
  }

  /** The line that is sent to an actor. */
  String line() {
    return String.join("\t", words);
  }

  @Override
  public String toString() {
    return String.join(" ", words);
  }
}
