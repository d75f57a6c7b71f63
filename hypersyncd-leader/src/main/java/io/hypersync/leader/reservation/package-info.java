/**
 * Reservations that agents hold, as a source outside of HyperSync tells them (hypersync.md 10.3).
 */
@NullMarked
package io.hypersync.leader.reservation;

import org.jspecify.annotations.NullMarked;
