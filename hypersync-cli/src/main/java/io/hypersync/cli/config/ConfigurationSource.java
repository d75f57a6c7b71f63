package io.hypersync.cli.config;

import io.hypersync.runtime.admin.UserError;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where a process has its configuration from, so that it can be read again: its flags and its
 * environment stay what they were.
 *
 * @param reader with the flags and the environment
 * @param file the file, absolute
 * @param isOptional whether there may be no such file
 */
public record ConfigurationSource(ConfigurationReader reader, Path file, boolean isOptional) {
  /** Whatever the working directory becomes, the file is the same. */
  public ConfigurationSource {
    file = file.toAbsolutePath().normalize();
  }

  /** Returns the file, if there is one now. */
  public Optional<Path> existing() {
    return isOptional && Files.notExists(file) ? Optional.empty() : Optional.of(file);
  }

  /**
   * Reads it.
   *
   * @throws UserError if it cannot be read, or something is wrong with it
   */
  public Configuration read() {
    return existing().map(reader::withFile).orElseGet(reader::withoutFile);
  }
}
