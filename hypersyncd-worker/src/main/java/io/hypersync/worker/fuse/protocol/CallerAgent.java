package io.hypersync.worker.fuse.protocol;

/**
 * What was found out about the agent that a caller belongs to.
 *
 * @param name the agent's name; empty if there is none, or it is not known
 * @param isLate whether the name was not found in time, so that an empty one says nothing
 */
public record CallerAgent(String name, boolean isLate) {
  /** The caller belongs to no agent that has a name. */
  public static final CallerAgent NONE = new CallerAgent("", false);

  /** Nobody could tell in time. */
  public static final CallerAgent LATE = new CallerAgent("", true);

  /** An agent that was looked for; with an empty name, {@link #NONE}. */
  public static CallerAgent found(String name) {
    return name.isEmpty() ? NONE : new CallerAgent(name, false);
  }

  /** An agent whose name may be known from before; with an empty name, {@link #LATE}. */
  public static CallerAgent believed(String name) {
    return name.isEmpty() ? LATE : new CallerAgent(name, false);
  }
}
