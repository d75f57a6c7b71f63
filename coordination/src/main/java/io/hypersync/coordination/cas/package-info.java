/** Records that are written by compare-and-swap; the stores that have them are behind this port. */
@NullMarked
package io.hypersync.coordination.cas;

import org.jspecify.annotations.NullMarked;
