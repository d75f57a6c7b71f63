package io.hypersync.sim;

/**
 * What a simulated history depends on.
 *
 * @param seed decides everything else
 * @param steps how many events happen before the faults end and everything must come to rest
 */
public record SimulationOptions(long seed, int steps) {}
