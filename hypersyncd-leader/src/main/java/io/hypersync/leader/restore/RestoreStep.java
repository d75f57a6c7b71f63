package io.hypersync.leader.restore;

import io.hypersync.model.restore.GuardedOps;

/**
 * Ops to commit.
 *
 * @param action the number of the action that they belong to; later steps have no lower one. If a
 *     step is not done, the steps behind it of the same action are not done either
 */
public record RestoreStep(int action, GuardedOps ops) {}
