/** Specifications of what decides at the worker. */
@NullMarked
package io.hypersync.worker.link;

import org.jspecify.annotations.NullMarked;
