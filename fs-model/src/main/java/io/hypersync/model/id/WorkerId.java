package io.hypersync.model.id;

/**
 * Stable name of a worker; the subject of its certificate (hypersync.md 10.2).
 *
 * @param name 1 to 63 of {@code a-z A-Z 0-9 . _ -}, starting with a letter or digit
 */
public record WorkerId(String name) {
  private static final int MAX_LENGTH = 63;

  /** Rejects a name outside the allowed alphabet. */
  public WorkerId {
    if (!isValid(name)) {
      throw new IllegalArgumentException(
          "a worker name is 1 to 63 letters, digits, '.', '_' or '-', starting with a letter or"
              + " digit; got \""
              + name
              + '"');
    }
  }

  /**
   * Hand-written instead of a regular expression, because it runs for every entry that is decoded.
   */
  private static boolean isValid(String name) {
    boolean valid =
        !name.isEmpty() && name.length() <= MAX_LENGTH && isLetterOrDigit(name.charAt(0));
    for (int i = 1; valid && i < name.length(); i++) {
      char c = name.charAt(i);
      valid = isLetterOrDigit(c) || c == '.' || c == '_' || c == '-';
    }
    return valid;
  }

  private static boolean isLetterOrDigit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  }

  @Override
  public String toString() {
    return name;
  }
}
