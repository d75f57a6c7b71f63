package io.hypersync.bench;

import io.hypersync.cli.flood.HandshakeFlood;

/**
 * The same work in three turns one right after another: without other traffic at the leader's port,
 * and with either kind of packets from unauthenticated peers.
 *
 * @param quiet without other traffic
 * @param copies with copies of a few first packets
 * @param madeUp with first packets of which no two are the same
 */
record FloodRound(Sample quiet, FloodTurn copies, FloodTurn madeUp) {
  /** Returns the turn with this kind of packets. */
  FloodTurn turn(HandshakeFlood.Kind kind) {
    return switch (kind) {
      case COPIES -> copies;
      case MADE_UP -> madeUp;
    };
  }
}
