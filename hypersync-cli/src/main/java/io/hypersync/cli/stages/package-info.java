/**
 * Joins the timestamps of a worker and its leader to find where time is spent (hypersync.md 17.1).
 */
@NullMarked
package io.hypersync.cli.stages;

import org.jspecify.annotations.NullMarked;
