/** What the figures of the worker cost, measured where they are made. */
@NullMarked
package io.hypersync.worker.daemon;

import org.jspecify.annotations.NullMarked;
