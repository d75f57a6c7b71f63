/**
 * Keeps open-leases at the leader on nodes that are in use here, so that they are not reaped
 * (hypersync.md 6.8).
 */
@NullMarked
package io.hypersync.worker.lease;

import org.jspecify.annotations.NullMarked;
