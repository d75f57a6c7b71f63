package io.hypersync.sim;

/**
 * The limits of a seed sweep. It ends when the first of them is reached.
 *
 * @param firstSeed seed of the first history; the next ones get the following numbers
 * @param seeds the greatest number of histories
 * @param steps of each history, see {@link SimulationOptions}
 * @param longestNs no history is begun after this time, in nanoseconds
 * @param threads number of histories that run at the same time
 * @param failures no history is begun after this many failures
 */
public record SeedSweepLimits(
    long firstSeed, long seeds, int steps, long longestNs, int threads, int failures) {}
