package io.hypersync.cli.ntm;

import com.fasterxml.jackson.databind.node.TextNode;
import io.hypersync.runtime.text.ShellWords;
import java.nio.file.Path;

/**
 * What belongs into NTM's own configuration. It is shown and never written: NTM does not start with
 * a key that it does not know, and the file is the user's.
 */
public final class NtmAdvice {
  private NtmAdvice() {}

  /**
   * The lines for NTM's {@code config.toml}.
   *
   * @param launcher the hypersync command
   * @param mount where the workspace is mounted
   */
  public static String toml(Path launcher, Path mount) {
    String exec =
        ShellWords.quoted(launcher) + " exec --mount " + ShellWords.quoted(mount) + " -- ";
    String check =
        ShellWords.quoted(launcher) + " ntm check --quick --project \"$NTM_PROJECT_DIR\"";
    return "# Sessions are folders of the workspace.\n"
        + "projects_base = "
        + toml(mount.toString())
        + "\n\n# Agents have their caches on this host. Add the options that you use.\n[agents]\n"
        + "claude = "
        + toml(exec + "claude")
        + "\ncodex = "
        + toml(exec + "codex")
        + "\ngemini = "
        + toml(exec + "gemini")
        + "\n\n# No agent is started where the workspace is not there, or cannot be written.\n"
        + "[[command_hooks]]\nevent = \"pre-spawn\"\ncommand = "
        + toml(check)
        + "\ntimeout = \"20s\"\n";
  }

  /** A string of TOML; a JSON string is one. */
  private static String toml(String text) {
    return TextNode.valueOf(text).toString();
  }
}
