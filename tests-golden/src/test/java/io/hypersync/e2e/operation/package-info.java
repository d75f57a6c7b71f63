/** Running a workspace: setup, refusals, permissions, limits, measurements, unmounting. */
@NullMarked
package io.hypersync.e2e.operation;

import org.jspecify.annotations.NullMarked;
