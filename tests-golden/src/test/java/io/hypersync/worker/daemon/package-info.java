/** Cost of the worker's time measurements; in this package to call package-private code. */
@NullMarked
package io.hypersync.worker.daemon;

import org.jspecify.annotations.NullMarked;
