package io.hypersync.wire.local;

import java.net.SocketAddress;

/** Where the worker in the leader's own process is. */
final class LocalAddress extends SocketAddress {
  private static final long serialVersionUID = 1;

  static final LocalAddress HERE = new LocalAddress();

  private LocalAddress() {}

  @Override
  public String toString() {
    return "the leader's process";
  }
}
