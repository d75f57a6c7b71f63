/**
 * Open-leases, and when orphans are reaped (hypersync.md 6.8); {@code docs/open-leases.md} explains
 * why that is safe.
 */
@NullMarked
package io.hypersync.leader.lease;

import org.jspecify.annotations.NullMarked;
