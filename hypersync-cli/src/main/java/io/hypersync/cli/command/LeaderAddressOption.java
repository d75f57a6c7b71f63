package io.hypersync.cli.command;

import io.hypersync.cli.config.HostPort;
import io.hypersync.cli.config.Settings;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where workers will look for the leader. */
final class LeaderAddressOption {
  @Option(
      names = "--leader-address",
      paramLabel = "<host:port>",
      description =
          "Where workers find the leader (default: where it listens, or the name of this machine).")
  private @Nullable String address;

  /** What was given, else an address at which a leader that listens there can be reached. */
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
