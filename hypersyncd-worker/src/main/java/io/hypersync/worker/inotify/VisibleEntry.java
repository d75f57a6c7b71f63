package io.hypersync.worker.inotify;

import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;

/**
 * An entry that has become visible.
 *
 * @param index its log index
 * @param remote whether another worker is its origin; the kernel reports local calls itself
 * @param before the state before it
 * @param after the state after it
 */
public record VisibleEntry(long index, boolean remote, FsOp op, FsState before, FsState after) {}
