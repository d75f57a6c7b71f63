package io.hypersync.runtime.text;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** Formats socket addresses as users write them. */
public final class HostPorts {
  private HostPorts() {}

  /**
   * {@code host:port} or {@code [IPv6]:port}, with the host as it was given, resolved or not:
   * {@code InetSocketAddress.toString} would add the resolved address or "unresolved".
   */
  public static String of(SocketAddress address) {
    if (!(address instanceof InetSocketAddress inet)) {
      return String.valueOf(address);
    }
    return host(inet.getHostString()) + ":" + inet.getPort();
  }

  /**
   * Like {@link #of}, with the IP address instead of the name; an unresolved address keeps its
   * name.
   */
  public static String numeric(InetSocketAddress address) {
    InetAddress ip = address.getAddress();
    return ip == null ? of(address) : host(ip.getHostAddress()) + ":" + address.getPort();
  }

  private static String host(String host) {
    return host.indexOf(':') >= 0 ? "[" + host + "]" : host;
  }
}
