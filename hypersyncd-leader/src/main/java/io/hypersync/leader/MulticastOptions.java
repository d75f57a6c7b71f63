package io.hypersync.leader;

import java.net.InetSocketAddress;

/**
 * Where chunks go that are for all workers at once.
 *
 * @param group a multicast address and a UDP port
 * @param networkInterface the name of the interface that the workers are behind; empty for the one
 *     that has the address on which the leader listens
 */
public record MulticastOptions(InetSocketAddress group, String networkInterface) {}
