package io.hypersync.cli.config;

import java.net.InetSocketAddress;

/**
 * A host and port that has not been resolved yet.
 *
 * @param host a name, an IPv4 address, or an IPv6 address without brackets
 * @param port 0 to 65535; 0 lets the system choose one where that makes sense
 */
public record HostPort(String host, int port) {
  private static final int MAX_PORT = 65_535;

  /** Rejects an empty host and a port out of range. */
  public HostPort {
    if (host.isBlank() || port < 0 || port > MAX_PORT) {
      throw new IllegalArgumentException("not a host and a port: " + host + ":" + port);
    }
  }

  /**
   * Parses {@code host:port} or {@code [ipv6]:port}.
   *
   * @throws IllegalArgumentException if the text is anything else
   */
  public static HostPort parse(String text) {
    int colon = text.lastIndexOf(':');
    if (colon < 0) {
      throw new IllegalArgumentException("no port: " + text);
    }
    String host = text.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    } else if (host.indexOf(':') >= 0) {
      throw new IllegalArgumentException("an IPv6 address needs brackets: " + text);
    }
    return new HostPort(host, Integer.parseInt(text, colon + 1, text.length(), 10));
  }

  /**
   * Resolves the host; blocks on the name service. {@link InetSocketAddress#isUnresolved} of the
   * result tells whether that failed.
   */
  public InetSocketAddress resolve() {
    return new InetSocketAddress(host, port);
  }

  /** Returns the address without resolving the host. */
  public InetSocketAddress unresolved() {
    return InetSocketAddress.createUnresolved(host, port);
  }

  /** Returns the form that {@link #parse} reads. */
  @Override
  public String toString() {
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }
}
