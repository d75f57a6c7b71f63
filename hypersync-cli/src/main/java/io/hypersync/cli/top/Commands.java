package io.hypersync.cli.top;

import io.hypersync.model.text.Printable;
import io.hypersync.runtime.text.ShellWords;

/** Words of command lines that a person may copy. */
final class Commands {
  private Commands() {}

  /**
   * A word for a shell; a name that would not be readable as it is stands for what to put there.
   */
  static String quoted(String word) {
    return Printable.isPlain(word) ? ShellWords.quoted(word) : "'<its name>'";
  }
}
