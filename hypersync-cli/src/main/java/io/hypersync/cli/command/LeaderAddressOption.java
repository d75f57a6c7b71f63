package io.hypersync.cli.command;

import io.hypersync.cli.config.HostPort;
import io.hypersync.cli.config.Settings;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The option {@code --leader-address}: where workers look for the leader, in this order. */
final class LeaderAddressOption {
  @Option(
      names = "--leader-address",
      paramLabel = "<host:port>",
      description =
          "Where workers find the leader (default: where it listens, or the name of this machine)."
              + " May be repeated: a standby that is promoted leads at its own address.")
  private List<String> addresses = new ArrayList<>();

  /**
   * Returns the given addresses. If none was given, returns the bind address, or this machine's
   * host name and the bind port if the leader listens on all addresses.
   */
  List<HostPort> orFrom(HostPort bindAddress) {
    if (!addresses.isEmpty()) {
      return Arguments.parse(
          "--leader-address", Settings.WORKER_LEADER_ADDRESS, String.join(",", addresses));
    }
    InetAddress ip = bindAddress.resolve().getAddress();
    boolean everyAddress = ip != null && ip.isAnyLocalAddress();
    return List.of(
        everyAddress ? new HostPort(nameOfThisMachine(), bindAddress.port()) : bindAddress);
  }

  private static String nameOfThisMachine() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException unnamed) {
      return "localhost";
    }
  }
}
