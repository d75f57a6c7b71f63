package io.hypersync.cli.runtime;

import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.config.HostPort;
import io.hypersync.cli.config.Settings;
import io.hypersync.cli.metrics.MetricsOptions;
import io.hypersync.runtime.admin.UserError;
import java.net.InetSocketAddress;
import java.util.Optional;

/** Turns a configuration into where a daemon shows its metrics. */
public final class MetricsPlan {
  private static final String LOOPBACK = "127.0.0.1";

  private MetricsPlan() {}

  /**
   * Returns the options; empty if no metrics are wanted.
   *
   * @throws UserError if the token cannot be read, the address is not known, or others than this
   *     machine could read the metrics without a token
   */
  public static Optional<MetricsOptions> options(Configuration configuration) {
    if (!configuration.get(Settings.METRICS_ENABLED)) {
      return Optional.empty();
    }
    String file = configuration.get(Settings.METRICS_TOKEN_FILE);
    Optional<String> token =
        file.isEmpty()
            ? Optional.empty()
            : Optional.of(
                TokenFile.read(
                    Settings.METRICS_TOKEN_FILE,
                    file,
                    "It is what Prometheus sends (authorization.credentials_file): printable"
                        + " characters, no blanks."));
    Optional<HostPort> said = configuration.find(Settings.METRICS_ADDRESS);
    InetSocketAddress address =
        said.orElse(new HostPort(LOOPBACK, MetricsOptions.FIRST_PORT)).resolve();
    if (address.isUnresolved()) {
      throw new UserError(
          Settings.METRICS_ADDRESS.key() + ": no address is known for " + address.getHostString(),
          "Give an IP address of this machine, such as 127.0.0.1:9570.",
          UserError.USAGE);
    }
    if (token.isEmpty() && !address.getAddress().isLoopbackAddress()) {
      throw new UserError(
          Settings.METRICS_ADDRESS.key()
              + ": "
              + address.getHostString()
              + " can be reached from other machines, and there is no token",
          "Name a file with one: --set "
              + Settings.METRICS_TOKEN_FILE.key()
              + "=<file>. Make it so: openssl rand -hex 32 > <file>",
          UserError.USAGE);
    }
    return Optional.of(
        new MetricsOptions(address, said.isPresent() ? 1 : MetricsOptions.PORTS, token));
  }
}
