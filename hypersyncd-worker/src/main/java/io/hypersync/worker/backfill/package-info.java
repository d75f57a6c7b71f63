/** Brings the chunks here that a worker did not get with the log. */
@NullMarked
package io.hypersync.worker.backfill;

import org.jspecify.annotations.NullMarked;
