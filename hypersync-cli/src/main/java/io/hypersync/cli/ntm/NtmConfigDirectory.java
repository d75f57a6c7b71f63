package io.hypersync.cli.ntm;

import io.hypersync.runtime.admin.UserError;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * NTM's configuration directory.
 *
 * @param path absolute
 */
public record NtmConfigDirectory(Path path) {
  /**
   * The one that NTM uses in this environment: that of the file {@code NTM_CONFIG}, else {@code
   * ntm} in {@code XDG_CONFIG_HOME}, else {@code ~/.config/ntm}.
   *
   * @throws UserError if there is not even a home directory
   */
  public static NtmConfigDirectory of(Map<String, String> environment) {
    Optional<Path> file = path(environment, "NTM_CONFIG");
    if (file.isPresent()) {
      Path folder = file.get().toAbsolutePath().normalize().getParent();
      return new NtmConfigDirectory(folder == null ? Path.of("/") : folder);
    }
    Path base =
        path(environment, "XDG_CONFIG_HOME")
            .or(() -> path(environment, "HOME").map(home -> home.resolve(".config")))
            .orElseThrow(
                () ->
                    new UserError(
                        "where is NTM's configuration? Neither NTM_CONFIG, XDG_CONFIG_HOME nor HOME"
                            + " is set",
                        "Name its folder: --config-dir <dir>",
                        UserError.USAGE));
    return new NtmConfigDirectory(base.resolve("ntm").toAbsolutePath().normalize());
  }

  /** NTM's configuration file. */
  public Path configFile() {
    return path.resolve("config.toml");
  }

  /** Each program in here is a command of NTM; this one is {@code ntm hypersync}. */
  public Path plugin() {
    return path.resolve("commands").resolve("hypersync");
  }

  private static Optional<Path> path(Map<String, String> environment, String variable) {
    return Optional.ofNullable(environment.get(variable))
        .filter(value -> !value.isBlank())
        .map(Path::of);
  }
}
