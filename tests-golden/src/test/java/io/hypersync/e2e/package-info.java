/**
 * Tests with real mounts: leaders and workers as separate processes, FUSE mounts, kill -9, full
 * disks, and everyday programs (hypersync.md 22.3, 22.4). They need root and /dev/fuse, and fail
 * without them.
 */
@NullMarked
package io.hypersync.e2e;

import org.jspecify.annotations.NullMarked;
