package io.hypersync.snapshot;

/**
 * An earlier state that stays stored because an entry of the log restores it ({@code
 * FsOp.RestoreState}): whoever replays that entry reads its pages.
 *
 * @param entry index of the entry; if it is not known yet, the least that it can have
 * @param isExact whether it is known: the entry is durable
 * @param state what leads to the earlier state; {@code takenNs} is since when it is held
 */
public record HeldRestore(long entry, boolean isExact, Snapshot state) {}
