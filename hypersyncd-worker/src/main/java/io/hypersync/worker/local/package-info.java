/**
 * Paths that are local to this host, since {@code hypersync.ignore} names them (hypersync.md 3):
 * which they are, which nodes of the kernel they have, and the locks on them.
 */
@NullMarked
package io.hypersync.worker.local;

import org.jspecify.annotations.NullMarked;
