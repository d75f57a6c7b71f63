/**
 * A workspace of real processes and real mounts, and what tests need to drive it: shells, git,
 * networks with faults. Tests with it need root and /dev/fuse, and fail without them.
 */
@NullMarked
package io.hypersync.e2e.harness;

import org.jspecify.annotations.NullMarked;
