package io.hypersync.e2e;

import java.util.List;

/**
 * One call of an actor. The first word is its name, the others are its arguments, as in {@code
 * mixed/actor.py}. Paths are relative to the shared directory.
 */
record MixedCall(List<String> words) {
  static MixedCall of(String... words) {
    return new MixedCall(List.of(words));
  }

  String name() {
    return words.getFirst();
  }

  String argument(int index) {
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
