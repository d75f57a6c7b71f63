package io.hypersync.model.restore;

import java.util.List;

/**
 * What a restore does, in this order.
 *
 * @param actions at most one for each node and name
 * @param ids gives further ids to what is made on the way
 */
public record RestorePlan(List<RestoreAction> actions, PlannedIds ids) {}
