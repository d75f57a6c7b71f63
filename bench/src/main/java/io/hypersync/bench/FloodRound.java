package io.hypersync.bench;

import io.hypersync.cli.flood.StrangerFlood;

/**
 * The same work with nobody at the leader's port and with either kind of strangers there, one right
 * after the other.
 *
 * @param quiet without them
 * @param copies with those who send copies of a few first packets
 * @param madeUp with those who send first packets of which no two are the same
 */
record FloodRound(Sample quiet, FloodTurn copies, FloodTurn madeUp) {
  /** The turn with these strangers. */
  FloodTurn turn(StrangerFlood.Kind kind) {
    return switch (kind) {
      case COPIES -> copies;
      case MADE_UP -> madeUp;
    };
  }
}
