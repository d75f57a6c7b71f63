package io.hypersync.cli;

import io.hypersync.cli.manual.ManualFiles;
import io.hypersync.runtime.admin.Daemon;
import java.io.IOException;
import java.nio.file.Path;

/** Writes man pages and completions of all commands; run when a package is made. */
final class Manual {
  private Manual() {}

  /**
   * Writes them.
   *
   * @param args one element: a directory, which is made
   */
  public static void main(String[] args) throws IOException {
    ManualFiles.write(
        Main.commandLine("", _ -> unused(), _ -> unused()), Version.text(), Path.of(args[0]));
  }

  private static Daemon unused() {
    throw new IllegalStateException("no daemon is started");
  }
}
