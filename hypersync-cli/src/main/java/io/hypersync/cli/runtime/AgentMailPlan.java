package io.hypersync.cli.runtime;

import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.config.Settings;
import io.hypersync.cli.config.Switch;
import io.hypersync.leader.mail.AgentMailOptions;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.FileProblems;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** Turns a configuration into how the leader reaches Agent Mail's server. */
final class AgentMailPlan {
  private static final int MOST_BYTES = 4 << 10;

  /** What a header of HTTP can carry. */
  private static final Pattern TOKEN = Pattern.compile("[\\x21-\\x7e]+");

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

  private static boolean isIn(String project, String mount) {
    return project.equals(mount) || project.startsWith(mount + "/");
  }

  private static String token(String file) {
    if (file.isEmpty()) {
      return "";
    }
    String key = Settings.AGENT_MAIL_TOKEN_FILE.key();
    try (InputStream in = Files.newInputStream(Path.of(file))) {
      String text = new String(in.readNBytes(MOST_BYTES), StandardCharsets.UTF_8);
      String token = text.lines().findFirst().orElse("").strip();
      if (!TOKEN.matcher(token).matches()) {
        throw new UserError(
            key + ": the first line of " + file + " is no token",
            "It is the HTTP_BEARER_TOKEN of Agent Mail's server: printable characters, no blanks.",
            UserError.USAGE);
      }
      return token;
    } catch (IOException e) {
      throw new UserError(
          key + ": cannot read " + file + ": " + FileProblems.describe(e),
          FileProblems.hint(e, ""));
    }
  }
}
