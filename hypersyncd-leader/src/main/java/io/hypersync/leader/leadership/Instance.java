package io.hypersync.leader.leadership;

/** The names by which processes claim a workspace. */
public final class Instance {
  /** The environment variable that names this process; without it a name is made. */
  public static final String VARIABLE = "HYPERSYNC_INSTANCE_ID";

  /** The longest name. */
  public static final int MAX_CHARACTERS = 128;

  private Instance() {}

  /** Whether a name can be written into a claim: 1 to 128 printable ASCII characters. */
  public static boolean isValid(String name) {
    return !name.isEmpty()
        && name.length() <= MAX_CHARACTERS
        && name.chars().allMatch(c -> c >= ' ' && c < 0x7f)
        && name.equals(name.strip());
  }
}
