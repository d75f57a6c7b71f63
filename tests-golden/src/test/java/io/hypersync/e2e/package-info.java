/**
 * Real mounts: leaders and workers as processes of their own, FUSE mounts, kill -9, full disks, and
 * the programs that people use (hypersync.md 22.3, 22.4). These tests need root and /dev/fuse, and
 * fail without them.
 */
@NullMarked
package io.hypersync.e2e;

import org.jspecify.annotations.NullMarked;
