package io.hypersync.sim.node;

import io.hypersync.sim.check.EverywhereChecker;
import io.hypersync.sim.check.FenceChecker;
import io.hypersync.sim.check.LockChecker;
import io.hypersync.sim.check.LogChecker;
import io.hypersync.sim.check.MutationChecker;
import io.hypersync.sim.check.OpenFileChecker;
import io.hypersync.sim.check.RequestChecker;

/**
 * The recorders and checkers of one history.
 *
 * @param log the durable log
 * @param mutations the mutations and their answers
 * @param requests the requests to the vfs
 * @param locks the locks that processes hold
 * @param fences the writes that rest on locks
 * @param open the files that processes have open
 * @param everywhere what must be visible on all mounts
 * @param bytes the bytes that processes wrote
 */
public record Recording(
    LogChecker log,
    MutationChecker mutations,
    RequestChecker requests,
    LockChecker locks,
    FenceChecker fences,
    OpenFileChecker open,
    EverywhereChecker everywhere,
    WrittenBytes bytes) {
  /** The same, with another log. */
  public Recording by(LogChecker other) {
    return new Recording(other, mutations, requests, locks, fences, open, everywhere, bytes);
  }
}
