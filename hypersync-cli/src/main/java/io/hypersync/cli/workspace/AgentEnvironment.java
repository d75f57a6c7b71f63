package io.hypersync.cli.workspace;

import io.hypersync.model.hash.Blake3;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The environment in which an agent works on a workspace: its name, and caches of tools in the
 * folder of this machine that is not replicated (hypersync.md 3).
 */
public final class AgentEnvironment {
  /** The variable that names the agent; a worker looks for it first. */
  public static final String AGENT = "HYPERSYNC_AGENT";

  private static final String PLAIN =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

  /** Shorter than a hash in hexadecimal digits can be mistaken for. */
  private static final int LONGEST_FOLDER = 63;

  private AgentEnvironment() {}

  /**
   * The variables, in a fixed order.
   *
   * @param local the workspace's local folder
   * @param agent empty if it has no name; then it shares what agents with a name have for
   *     themselves
   */
  public static Map<String, String> of(Path local, String agent) {
    Map<String, String> variables = new LinkedHashMap<>();
    if (!agent.isEmpty()) {
      variables.put(AGENT, agent);
    }
    addCaches(variables, local.resolve("cache"), agent);
    return variables;
  }

  /**
   * The same for the agent of a tmux pane: it has caches of its own, and the name that is written
   * for the pane.
   *
   * @param pane as in {@code TMUX_PANE}
   */
  public static Map<String, String> ofPane(Path local, String pane) {
    Map<String, String> variables = new LinkedHashMap<>();
    addCaches(variables, local.resolve("cache"), "pane-" + pane);
    return variables;
  }

  private static void addCaches(Map<String, String> variables, Path cache, String owner) {
    Path own = owner.isEmpty() ? cache : cache.resolve("agents").resolve(folder(owner));
    variables.put("XDG_CACHE_HOME", cache.resolve("xdg").toString());
    variables.put("GOCACHE", cache.resolve("go-build").toString());
    variables.put("GOMODCACHE", cache.resolve("go-mod").toString());
    variables.put("npm_config_cache", cache.resolve("npm").toString());
    variables.put("PIP_CACHE_DIR", cache.resolve("pip").toString());
    variables.put("UV_CACHE_DIR", cache.resolve("uv").toString());
    // A build locks it for as long as it runs, so agents with one folder would wait for each other.
    variables.put("CARGO_TARGET_DIR", own.resolve("cargo-target").toString());
  }

  /** A folder's name that no other agent has, and that leads nowhere else. */
  private static String folder(String agent) {
    StringBuilder name = new StringBuilder();
    for (byte each : agent.getBytes(StandardCharsets.UTF_8)) {
      if (PLAIN.indexOf((char) Byte.toUnsignedInt(each)) >= 0) {
        name.append((char) each);
      } else {
        name.append("%%%02x".formatted(Byte.toUnsignedInt(each)));
      }
    }
    return name.length() <= LONGEST_FOLDER
        ? name.toString()
        : Blake3.hash(agent.getBytes(StandardCharsets.UTF_8)).toString();
  }
}
