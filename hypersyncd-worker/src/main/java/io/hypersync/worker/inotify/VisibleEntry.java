package io.hypersync.worker.inotify;

import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import org.jspecify.annotations.Nullable;

/**
 * An entry that has become visible, or a state that has taken the place of the visible one.
 *
 * @param index its log index
 * @param remote whether another worker is its origin; the kernel reports local calls itself
 * @param op null if any number of nodes may be different
 * @param before the state before it
 * @param after the state after it
 */
public record VisibleEntry(
    long index, boolean remote, @Nullable FsOp op, FsState before, FsState after) {}
