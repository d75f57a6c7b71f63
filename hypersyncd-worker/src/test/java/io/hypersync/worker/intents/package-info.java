/** Specifications of what decides at the worker. */
@NullMarked
package io.hypersync.worker.intents;

import org.jspecify.annotations.NullMarked;
