package io.hypersync.wire.text;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** Network addresses as people write them. */
public final class HostPorts {
  private HostPorts() {}

  /**
   * {@code host:port} or {@code [IPv6]:port}, as it was given: looked up or not, and without what
   * Java says about that.
   */
  public static String of(SocketAddress address) {
    if (!(address instanceof InetSocketAddress inet)) {
      return String.valueOf(address);
    }
    return host(inet.getHostString()) + ":" + inet.getPort();
  }

  /** The same with the number of the address, never its name. */
  public static String numeric(InetSocketAddress address) {
    InetAddress ip = address.getAddress();
    return ip == null ? of(address) : host(ip.getHostAddress()) + ":" + address.getPort();
  }

  private static String host(String host) {
    return host.indexOf(':') >= 0 ? "[" + host + "]" : host;
  }
}
