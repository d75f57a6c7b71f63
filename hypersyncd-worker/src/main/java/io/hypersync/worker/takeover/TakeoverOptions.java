package io.hypersync.worker.takeover;

import java.nio.file.Path;
import java.time.Duration;

/**
 * How a mount outlives its worker.
 *
 * @param socket of the process that keeps it
 * @param timeout how long it is kept without a worker
 */
public record TakeoverOptions(Path socket, Duration timeout) {}
