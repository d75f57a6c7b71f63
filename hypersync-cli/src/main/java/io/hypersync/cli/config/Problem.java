package io.hypersync.cli.config;

import io.hypersync.runtime.admin.UserError;

/**
 * Something that is wrong with a configuration.
 *
 * @param origin where it is; its line is 1 if it is not known
 * @param message what is wrong, without the place
 * @param hint what to do about it; lines separated by {@code \n}; may be empty
 */
public record Problem(Origin origin, String message, String hint) {
  /** The line in its file, counted from 1; 0 if it is not in a file. */
  public int line() {
    return origin instanceof Origin.File(var _, int line) ? line : 0;
  }

  UserError error() {
    return new UserError(origin + ": " + message, hint, UserError.USAGE);
  }
}
