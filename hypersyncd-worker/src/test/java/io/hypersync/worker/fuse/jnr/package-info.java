@NullMarked
package io.hypersync.worker.fuse.jnr;

import org.jspecify.annotations.NullMarked;
