/**
 * Serves the paths that {@code hypersync.ignore} makes local to this host from a folder beside the
 * mount.
 */
@NullMarked
package io.hypersync.worker.daemon.local;

import org.jspecify.annotations.NullMarked;
