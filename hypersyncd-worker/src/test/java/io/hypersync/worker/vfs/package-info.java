/** Specifications of what decides at the worker. */
@NullMarked
package io.hypersync.worker.vfs;

import org.jspecify.annotations.NullMarked;
