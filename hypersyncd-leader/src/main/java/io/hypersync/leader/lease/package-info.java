/**
 * Who has what open, and when what has no name any more is forgotten (hypersync.md 6.8); {@code
 * docs/open-leases.md} says why that is safe.
 */
@NullMarked
package io.hypersync.leader.lease;

import org.jspecify.annotations.NullMarked;
