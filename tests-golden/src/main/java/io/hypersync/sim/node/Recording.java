package io.hypersync.sim.node;

import io.hypersync.sim.check.LockLedger;
import io.hypersync.sim.check.LogChecker;
import io.hypersync.sim.check.MutationLedger;
import io.hypersync.sim.check.OpenLedger;
import io.hypersync.sim.check.RequestLedger;

/**
 * The recorders and checkers of one history.
 *
 * @param log the durable log
 * @param mutations the mutations and their answers
 * @param requests the requests to the vfs
 * @param locks the locks that processes hold
 * @param open the files that processes have open
 * @param bytes the bytes that processes wrote
 */
public record Recording(
    LogChecker log,
    MutationLedger mutations,
    RequestLedger requests,
    LockLedger locks,
    OpenLedger open,
    WrittenBytes bytes) {}
