package io.hypersync.cli.command;

import io.hypersync.cli.config.HostPort;
import io.hypersync.cli.config.Settings;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option {@code --leader-address}: where workers look for the leader. */
final class LeaderAddressOption {
  @Option(
      names = "--leader-address",
      paramLabel = "<host:port>",
      description =
          "Where workers find the leader (default: where it listens, or the name of this machine).")
  private @Nullable String address;

  /**
   * Returns the given address. If none was given, returns the bind address, or this machine's host
   * name and the bind port if the leader listens on all addresses.
   */
  HostPort orFrom(HostPort bindAddress) {
    if (address != null) {
      return Arguments.parse("--leader-address", Settings.WORKER_LEADER_ADDRESS, address);
    }
    InetAddress ip = bindAddress.resolve().getAddress();
    boolean everyAddress = ip != null && ip.isAnyLocalAddress();
    return everyAddress ? new HostPort(nameOfThisMachine(), bindAddress.port()) : bindAddress;
  }

  private static String nameOfThisMachine() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException unnamed) {
      return "localhost";
    }
  }
}
