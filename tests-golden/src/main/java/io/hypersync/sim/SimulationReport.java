package io.hypersync.sim;

import java.util.Map;

/**
 * How a history went.
 *
 * @param seed what it was made of
 * @param fingerprint equal for two runs that went the same way
 * @param steps how many events happened until all was at rest
 * @param entries how long the log got
 * @param committed mutations that were told success
 * @param failed mutations that were told a definite error
 * @param unknown mutations that were told EIO
 * @param locks locks that were granted
 * @param faults how many things went wrong on purpose
 * @param reaped orphans that were reaped
 * @param late handles that outlived their node, because their worker was cut off
 * @param explained calls whose answers have an order that explains them, under strict reads
 * @param simulatedMs how much time passed
 * @param happened how often came about what has to in some histories, by its name
 */
public record SimulationReport(
    long seed,
    long fingerprint,
    long steps,
    long entries,
    long committed,
    long failed,
    long unknown,
    long locks,
    long faults,
    long reaped,
    long late,
    long explained,
    long simulatedMs,
    Map<String, Long> happened) {}
