package io.hypersync.worker.inotify;

import io.hypersync.model.state.FsState;

/**
 * A shadow call, with the states from which the kernel's requests for it are answered.
 *
 * @param call the call to make
 * @param before the state before the entry that is reported
 * @param after the state after that entry
 */
public record ShadowJob(ShadowCall call, FsState before, FsState after) {}
