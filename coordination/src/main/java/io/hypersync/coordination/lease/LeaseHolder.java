package io.hypersync.coordination.lease;

import io.hypersync.runtime.agent.Entropy;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The name under which a process holds leases. */
public final class LeaseHolder {
  /** The longest name. */
  public static final int MAX_CHARACTERS = 128;

  private LeaseHolder() {}

  /**
   * The name of this process.
   *
   * @param setting what the user wants; empty for no wish
   * @param hostname the environment variable {@code HOSTNAME}; a name that cannot be used counts as
   *     none
   * @param random for a UUID, if neither is there
   * @throws IllegalArgumentException if the user's wish cannot be a name; the message says why
   */
  public static String name(String setting, @Nullable String hostname, Entropy random) {
    if (!setting.isEmpty()) {
      if (!isValid(setting)) {
        throw new IllegalArgumentException(
            "the name of a holder has 1 to " + MAX_CHARACTERS + " printable ASCII characters");
      }
      return setting;
    }
    return hostname != null && isValid(hostname)
        ? hostname
        : new UUID(random.nextLong(), random.nextLong()).toString();
  }

  /** Whether a name can be written into a lease: 1 to 128 printable ASCII characters. */
  static boolean isValid(String name) {
    return !name.isEmpty()
        && name.length() <= MAX_CHARACTERS
        && name.chars().allMatch(c -> c >= ' ' && c < 0x7f)
        && name.equals(name.strip());
  }
}
