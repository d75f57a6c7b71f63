package io.hypersync.cli.doctor;

import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.config.ConfigurationReader;
import io.hypersync.cli.config.Settings;
import io.hypersync.runtime.admin.UserError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * What a daemon was started with, as the kernel tells it.
 *
 * @param words its command line
 * @param folder its working directory, which relative paths begin in
 */
record DaemonArguments(List<String> words, Path folder) {
  private static final Path OF_MACHINE = Path.of("/etc/hypersync/hypersync.toml");

  /**
   * Reads them.
   *
   * @param process its folder in /proc
   * @throws IOException if the process is another user's, or gone
   */
  static DaemonArguments of(Path process) throws IOException {
    String line =
        new String(Files.readAllBytes(process.resolve("cmdline")), StandardCharsets.UTF_8);
    return new DaemonArguments(
        Arrays.asList(line.split("\0", -1)), Files.readSymbolicLink(process.resolve("cwd")));
  }

  /** The values of an option, which may be said as {@code --name value} or {@code --name=value}. */
  private List<String> values(String option) {
    List<String> found = new ArrayList<>();
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      if (word.startsWith(option + "=")) {
        found.add(word.substring(option.length() + 1));
      } else if (word.equals(option) && i + 1 < words.size()) {
        found.add(words.get(i + 1));
      }
    }
    return found;
  }

  /** The paths that an option names. */
  List<Path> paths(String option) {
    return values(option).stream().flatMap(value -> path(value).stream()).toList();
  }

  /** The path of what a daemon was told; empty if this locale has no such path. */
  Optional<Path> path(String told) {
    try {
      return Optional.of(folder.resolve(told).normalize());
    } catch (InvalidPathException unspeakable) {
      return Optional.empty();
    }
  }

  /**
   * What its file and its {@code --set} say now, which need not be in force.
   *
   * @param roots folders of a workspace, of which the first that has settings counts
   * @throws UserError if they cannot be read, or make no sense
   */
  Configuration configuration(List<Path> roots) {
    ConfigurationReader reader = new ConfigurationReader();
    values("--set").forEach(assignment -> reader.assignment("--set", assignment));
    List<Path> files = new ArrayList<>(paths("--config"));
    roots.stream()
        .map(root -> root.resolve("hypersync.toml"))
        .filter(Files::exists)
        .forEach(files::add);
    if (files.isEmpty() && Files.exists(OF_MACHINE)) {
      files.add(OF_MACHINE);
    }
    return files.isEmpty() ? reader.withoutFile() : reader.withFile(files.getFirst());
  }

  /** The file of the token for its metrics, if there is one; throws as {@link #configuration}. */
  Optional<Path> metricsToken(List<Path> roots) {
    String file = configuration(roots).get(Settings.METRICS_TOKEN_FILE);
    return file.isEmpty() ? Optional.empty() : path(file);
  }
}
