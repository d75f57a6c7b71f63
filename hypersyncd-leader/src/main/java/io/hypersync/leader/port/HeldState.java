package io.hypersync.leader.port;

import io.hypersync.snapshot.Snapshot;

/**
 * A state of the past that is held because workers have mounted it.
 *
 * @param snapshot what leads to it; {@code takenNs} is since when it is held
 * @param workers who has it mounted, separated by commas; empty if nobody has said so yet
 */
public record HeldState(Snapshot snapshot, String workers) {}
