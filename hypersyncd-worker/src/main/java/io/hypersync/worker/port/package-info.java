/**
 * The interfaces through which the worker's decision code reaches the network, the kernel, the
 * chunk store and the host.
 */
@NullMarked
package io.hypersync.worker.port;

import org.jspecify.annotations.NullMarked;
