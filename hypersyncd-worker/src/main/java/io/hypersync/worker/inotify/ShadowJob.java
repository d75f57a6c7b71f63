package io.hypersync.worker.inotify;

import io.hypersync.model.state.FsState;

/**
 * A shadow call with what the kernel's questions on the way are answered from.
 *
 * @param call what to do
 * @param before the state before the entry that it reports
 * @param after the state after it
 */
public record ShadowJob(ShadowCall call, FsState before, FsState after) {}
