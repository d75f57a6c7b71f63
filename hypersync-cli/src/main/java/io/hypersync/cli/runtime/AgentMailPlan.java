package io.hypersync.cli.runtime;

import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.config.Settings;
import io.hypersync.cli.config.Switch;
import io.hypersync.leader.mail.AgentMailOptions;
import io.hypersync.runtime.admin.UserError;
import java.util.List;

/** Turns a configuration into how the leader reaches Agent Mail's server. */
final class AgentMailPlan {
  private AgentMailPlan() {}

  /**
   * The options.
   *
   * @param mounts the paths by which agents know the workspace, the usual one last
   * @throws UserError if a project is not in the workspace, or the token cannot be read
   */
  static AgentMailOptions options(Configuration configuration, List<String> mounts) {
    String url = configuration.get(Settings.AGENT_MAIL_URL);
    if (url.isEmpty()) {
      return AgentMailOptions.NONE;
    }
    List<String> projects = configuration.get(Settings.AGENT_MAIL_PROJECTS);
    for (String project : projects) {
      if (mounts.stream().noneMatch(mount -> isIn(project, mount))) {
        throw new UserError(
            Settings.AGENT_MAIL_PROJECTS.key() + ": " + project + " is not in the workspace",
            "Agents see the workspace at "
                + String.join(", ", mounts)
                + ". If they see it elsewhere, say so: --set "
                + Settings.AGENT_MAIL_MOUNT_PATHS.key()
                + "=<dir>",
            UserError.USAGE);
      }
    }
    return new AgentMailOptions(
        url,
        token(configuration.get(Settings.AGENT_MAIL_TOKEN_FILE)),
        configuration.get(Settings.AGENT_MAIL_MESSAGES) == Switch.ON,
        projects.isEmpty() ? List.of(mounts.getFirst()) : projects,
        mounts);
  }

  /**
   * Looks whether the token can be read.
   *
   * @throws UserError if it cannot
   */
  static void check(Configuration configuration) {
    if (!configuration.get(Settings.AGENT_MAIL_URL).isEmpty()) {
      var _ = token(configuration.get(Settings.AGENT_MAIL_TOKEN_FILE));
    }
  }

  private static boolean isIn(String project, String mount) {
    return project.equals(mount) || project.startsWith(mount + "/");
  }

  private static String token(String file) {
    return file.isEmpty()
        ? ""
        : TokenFile.read(
            Settings.AGENT_MAIL_TOKEN_FILE,
            file,
            "It is the HTTP_BEARER_TOKEN of Agent Mail's server: printable characters, no blanks.");
  }
}
