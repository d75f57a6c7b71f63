package io.hypersync.leader.mail;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Whom nothing is sent to for a while, because the server has refused it: it wants somebody to
 * approve contact first, or does not know the agent, or the project. Bounded.
 */
final class Mutes {
  /** How long. */
  static final long MUTED_NS = 600_000_000_000L;

  private static final int MOST = 1_000;

  private final Map<Who, Mute> mutes = new LinkedHashMap<>();

  private record Who(String project, String agent) {}

  private record Mute(String name, long untilNs, String why) {}

  /**
   * Somebody, or all of a project.
   *
   * @param agent empty for all of the project
   */
  record Muted(String project, String agent, long untilNs, String why) {}

  void add(String project, String agent, String why, long nowNs) {
    Who who = new Who(project, agent.toLowerCase(Locale.ROOT));
    mutes.remove(who); // to the end
    mutes.put(who, new Mute(agent, nowNs + MUTED_NS, why));
    if (mutes.size() > MOST) {
      mutes.remove(mutes.keySet().iterator().next());
    }
  }

  boolean has(String project, String agent, long nowNs) {
    return isMuted(new Who(project, ""), nowNs)
        || isMuted(new Who(project, agent.toLowerCase(Locale.ROOT)), nowNs);
  }

  private boolean isMuted(Who who, long nowNs) {
    Mute mute = mutes.get(who);
    if (mute != null && nowNs - mute.untilNs() >= 0) {
      mutes.remove(who);
      return false;
    }
    return mute != null;
  }

  /** Those that are muted now, the latest last. */
  List<Muted> all(long nowNs) {
    mutes.values().removeIf(mute -> nowNs - mute.untilNs() >= 0);
    return mutes.entrySet().stream()
        .map(
            each ->
                new Muted(
                    each.getKey().project(),
                    each.getValue().name(),
                    each.getValue().untilNs(),
                    each.getValue().why()))
        .toList();
  }
}
