package io.hypersync.model.id;

import java.util.regex.Pattern;

/**
 * Stable name of a worker; the subject of its certificate (hypersync.md 10.2).
 *
 * @param name 1 to 63 of {@code a-z A-Z 0-9 . _ -}, starting with a letter or digit
 */
public record WorkerId(String name) {
  private static final Pattern VALID = Pattern.compile("[a-zA-Z0-9][a-zA-Z0-9._-]{0,62}");

  /** Rejects a name outside the allowed alphabet. */
  public WorkerId {
    if (!VALID.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "a worker name is 1 to 63 letters, digits, '.', '_' or '-', starting with a letter or"
              + " digit; got \""
              + name
              + '"');
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
