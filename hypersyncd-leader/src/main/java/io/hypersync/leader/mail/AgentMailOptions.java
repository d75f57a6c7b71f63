package io.hypersync.leader.mail;

import java.util.List;

/**
 * How the leader reaches Agent Mail's server, and for what.
 *
 * @param url of its JSON-RPC; empty for none
 * @param token for {@code Authorization: Bearer}; empty for none
 * @param sendsMessages whether agents are told of hazards by mail
 * @param projects absolute paths of the projects in the workspace, as agents name them
 * @param mounts the absolute paths by which agents know the workspace, without a slash at the end
 */
public record AgentMailOptions(
    String url, String token, boolean sendsMessages, List<String> projects, List<String> mounts) {
  /** There is no server. */
  public static final AgentMailOptions NONE =
      new AgentMailOptions("", "", false, List.of(), List.of());

  /** Copies the lists. */
  public AgentMailOptions {
    projects = List.copyOf(projects);
    mounts = List.copyOf(mounts);
  }

  /** Whether there is a server. */
  public boolean isOn() {
    return !url.isEmpty();
  }

  /** Everything but the token, which nobody should read in a log. */
  @Override
  public String toString() {
    return "AgentMailOptions[" + url + ", messages " + sendsMessages + ", " + projects + "]";
  }
}
