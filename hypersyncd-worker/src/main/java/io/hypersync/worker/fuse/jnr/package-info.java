/** A mount that is served through libfuse 2: calls by path become requests by node. */
@NullMarked
package io.hypersync.worker.fuse.jnr;

import org.jspecify.annotations.NullMarked;
