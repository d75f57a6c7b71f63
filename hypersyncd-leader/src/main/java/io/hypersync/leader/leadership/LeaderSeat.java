package io.hypersync.leader.leadership;

import java.util.Optional;

/**
 * Whether a process may lead, and on which state.
 *
 * @param gate whether it leads
 * @param moved whether the state directory has been moved, or copied, to where it is, and is to be
 *     led there from now on
 * @param rewind the name of a new lineage that begins with this state, which is older than what
 *     workers have seen; empty if workers may not have seen a newer one
 */
public record LeaderSeat(LeaderGate gate, boolean moved, Optional<String> rewind) {
  /** Of a process beside which there is no other one. */
  public static final LeaderSeat ALONE = new LeaderSeat(LeaderGate.ALONE, false, Optional.empty());

  /** The same, behind this gate. */
  public LeaderSeat behind(LeaderGate other) {
    return new LeaderSeat(other, moved, rewind);
  }
}
