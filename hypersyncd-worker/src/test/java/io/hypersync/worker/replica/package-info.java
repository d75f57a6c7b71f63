/** Specifications of what decides at the worker. */
@NullMarked
package io.hypersync.worker.replica;

import org.jspecify.annotations.NullMarked;
