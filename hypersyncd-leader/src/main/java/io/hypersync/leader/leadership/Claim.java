package io.hypersync.leader.leadership;

/**
 * What the claim file of a workspace says while a process leads it.
 *
 * @param instance names the process; 1 to {@link Instance#MAX_CHARACTERS} printable characters
 * @param pid its process id, 1 or more
 * @param claimedAtMs when it took the claim, in ms since 1970; for people only
 * @param beats grows by one with every refresh, 0 or more: whoever watches measures by it, with its
 *     own clock, whether the process is still at work
 * @param wantedBy the instance that has asked for the claim; empty if none has
 */
public record Claim(String instance, long pid, long claimedAtMs, long beats, String wantedBy) {
  /** Whether this process made it. An instance alone is not enough: it may be given by mistake. */
  boolean isOf(String name, long process) {
    return instance.equals(name) && pid == process;
  }

  Claim refreshed() {
    return new Claim(instance, pid, claimedAtMs, beats + 1, wantedBy);
  }

  Claim wantedBy(String name) {
    return new Claim(instance, pid, claimedAtMs, beats, name);
  }
}
