package io.hypersync.sim.node;

import io.hypersync.sim.check.LockLedger;
import io.hypersync.sim.check.LogChecker;
import io.hypersync.sim.check.MutationLedger;
import io.hypersync.sim.check.OpenLedger;
import io.hypersync.sim.check.RequestLedger;

/**
 * Where a history is written down and judged.
 *
 * @param log the durable log
 * @param mutations what was mutated, and what the callers were told
 * @param requests what was asked of a vfs
 * @param locks who holds what lock
 * @param open what processes have open
 * @param bytes what was written
 */
public record Recording(
    LogChecker log,
    MutationLedger mutations,
    RequestLedger requests,
    LockLedger locks,
    OpenLedger open,
    WrittenBytes bytes) {}
