/**
 * A power-loss disk: a filesystem in memory, mounted through the worker's own FUSE layers, whose
 * power can be cut.
 */
@NullMarked
package io.hypersync.disk;

import org.jspecify.annotations.NullMarked;
