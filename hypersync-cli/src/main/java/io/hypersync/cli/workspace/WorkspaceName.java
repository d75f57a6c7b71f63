package io.hypersync.cli.workspace;

import io.hypersync.runtime.admin.UserError;
import java.util.regex.Pattern;

/**
 * Name of a workspace for people. It becomes part of paths, so its alphabet is small.
 *
 * @param text 1 to 63 letters, digits, '.', '_' or '-', starting with a letter or digit
 */
public record WorkspaceName(String text) {
  private static final Pattern VALID = Pattern.compile("[a-zA-Z0-9][a-zA-Z0-9._-]{0,62}");

  /** Rejects a name outside the alphabet with a {@link UserError}. */
  public WorkspaceName {
    if (!VALID.matcher(text).matches()) {
      throw new UserError(
          "a workspace's name is 1 to 63 letters, digits, '.', '_' or '-', starting with a letter"
              + " or digit; got \""
              + text
              + '"',
          "Give one: --name <name>",
          UserError.USAGE);
    }
  }

  @Override
  public String toString() {
    return text;
  }
}
