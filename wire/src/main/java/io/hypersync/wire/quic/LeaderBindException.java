package io.hypersync.wire.quic;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Locale;

/** The leader cannot listen on the configured address; the message says what to do about it. */
public final class LeaderBindException extends IOException {
  private static final long serialVersionUID = 1L;

  LeaderBindException(InetSocketAddress address, Throwable cause) {
    super(message(address, cause), cause);
  }

  private static String message(InetSocketAddress address, Throwable cause) {
    String detail = String.valueOf(cause.getMessage());
    String where = "cannot listen on UDP " + address.getHostString() + ":" + address.getPort();
    String lower = detail.toLowerCase(Locale.ROOT);
    if (lower.contains("in use")) {
      return where
          + ": another program holds the port, probably another leader (see: ss -ulpn 'sport = :"
          + address.getPort()
          + "'). Stop it, or give this leader another port to listen on";
    }
    if (lower.contains("assign")) {
      return where + ": this machine has no such address. Listen on one it has, or on 0.0.0.0";
    }
    if (lower.contains("denied") || lower.contains("permitted")) {
      return where + ": permission denied. Ports below 1024 need privileges; choose a higher one";
    }
    return where + ": " + detail;
  }
}
