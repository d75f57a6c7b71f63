package io.hypersync.cli.metrics;

import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * Where a daemon shows its metrics, and to whom.
 *
 * @param address the first that is tried; resolved
 * @param ports how many ports from that one on are tried, 1 for only that one
 * @param token what a scraper must send as {@code Authorization: Bearer}; empty for nothing
 */
public record MetricsOptions(InetSocketAddress address, int ports, Optional<String> token) {
  /** The first port that is tried, unless another one is set. */
  public static final int FIRST_PORT = 9570;

  /** How many daemons of a host find a port by themselves. */
  public static final int PORTS = 32;
}
