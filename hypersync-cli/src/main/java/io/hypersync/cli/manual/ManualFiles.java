package io.hypersync.cli.manual;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine;

/** Writes man pages and completions into a folder, where a package has them. */
public final class ManualFiles {
  private ManualFiles() {}

  /**
   * Writes {@code man1/*.1}, {@code hypersync.bash}, {@code _hypersync} and {@code hypersync.fish}.
   *
   * @param line the command line with all its commands
   * @param version what the pages say at their feet
   */
  public static void write(CommandLine line, String version, Path folder) throws IOException {
    Path pages = Files.createDirectories(folder.resolve("man1"));
    for (ManualPage page : ManualPage.of(line, version)) {
      Files.writeString(pages.resolve(page.name() + ".1"), page.roff());
    }
    Files.writeString(folder.resolve("hypersync.bash"), Completion.bash(line));
    Files.writeString(folder.resolve("_hypersync"), Completion.zsh(line));
    Files.writeString(folder.resolve("hypersync.fish"), Completion.fish(line));
  }
}
