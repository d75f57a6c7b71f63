package io.hypersync.cli.command;

import io.hypersync.cli.config.HostPort;
import io.hypersync.runtime.text.ShellWords;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Warns of a leader address that resolves to loopback, so every machine would look for the leader
 * at itself. Many systems map even the machine's own host name to such an address (127.0.1.1 in
 * {@code /etc/hosts}).
 */
final class LoopbackAddress {
  private LoopbackAddress() {}

  /**
   * Returns a warning and how to avoid it if a leader address to be written into a token is a
   * loopback address, else empty.
   *
   * @param leaders the addresses that workers will resolve
   * @param again the command that makes the token, without its {@code --leader-address}
   * @param file the token
   */
  static Optional<String> warning(List<HostPort> leaders, List<String> again, Path file) {
    return leaders.stream().flatMap(leader -> warning(leader, again, file).stream()).findFirst();
  }

  private static Optional<String> warning(HostPort leader, List<String> again, Path file) {
    InetAddress address = leader.resolve().getAddress();
    if (address == null || !address.isLoopbackAddress()) {
      return Optional.empty();
    }
    String number = address.getHostAddress();
    String example = ofThisMachine().orElse("<address of this machine>");
    return Optional.of(
        "warning: the token names the leader "
            + leader
            + (number.equals(leader.host()) ? "" : ", which is " + number + " on this machine")
            + ": workers on other machines would look for the leader at themselves.\n"
            + "  If there are any, make the token again with an address that they can reach:\n  rm "
            + ShellWords.quoted(file)
            + " && ./hypersync "
            + ShellWords.line(again)
            + " --leader-address "
            + example
            + ":"
            + leader.port());
  }

  /** Returns an IPv4 address of this machine other than loopback, on an interface that is up. */
  private static Optional<String> ofThisMachine() {
    try {
      return NetworkInterface.networkInterfaces()
          .filter(LoopbackAddress::isUp)
          .flatMap(NetworkInterface::inetAddresses)
          .filter(each -> each instanceof Inet4Address && !each.isLoopbackAddress())
          .map(InetAddress::getHostAddress)
          .findFirst();
    } catch (SocketException unknown) {
      return Optional.empty();
    }
  }

  private static boolean isUp(NetworkInterface network) {
    try {
      return network.isUp();
    } catch (SocketException unknown) {
      return false;
    }
  }
}
