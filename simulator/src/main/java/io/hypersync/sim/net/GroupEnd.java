package io.hypersync.sim.net;

/** A worker's ear. Called in events of its host. */
public interface GroupEnd {
  /**
   * A packet has come.
   *
   * @param isDamaged whether the network, or somebody on it, has changed it
   */
  void received(GroupPacket packet, boolean isDamaged);
}
