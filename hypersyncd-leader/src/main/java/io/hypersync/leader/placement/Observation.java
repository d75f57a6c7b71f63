package io.hypersync.leader.placement;

import io.hypersync.wire.message.LocalPressure;
import java.util.Optional;

/**
 * What is known of a connected worker at a moment: what it says itself, and what the leader sees,
 * which a worker cannot talk away.
 *
 * @param said its last report
 * @param seenLagNs how long it has been on its way to what was durable once, by the leader's clock,
 *     in nanoseconds
 * @param seenRttNs round-trip time of its connection in nanoseconds; 0 if it was not measured
 * @param backlogBytes symbols of chunks that it could not decode yet
 * @param hindrance why it cannot take anybody, whatever its load is, such as a read-only mount;
 *     empty if it can
 */
public record Observation(
    LocalPressure said,
    long seenLagNs,
    long seenRttNs,
    long backlogBytes,
    Optional<String> hindrance) {}
