package io.hypersync.sim;

import java.util.Map;

/**
 * The result of a history.
 *
 * @param seed the seed of the history
 * @param fingerprint hash of the trace: equal for two runs with the same events
 * @param steps number of events until the cluster was at rest
 * @param entries length of the log
 * @param committed mutations whose callers got success
 * @param failed mutations whose callers got a definite error
 * @param unknown mutations whose callers got EIO
 * @param locks locks that were granted
 * @param faults number of injected faults
 * @param reaped orphans that were reaped
 * @param late handles that outlived their node because their worker was partitioned
 * @param explained calls under strict reads for which a linearization was found
 * @param simulatedMs simulated time, in milliseconds
 * @param happened counts of rare events that must occur in some histories, by name
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
