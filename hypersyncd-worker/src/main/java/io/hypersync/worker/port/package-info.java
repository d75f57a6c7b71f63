/** What the worker's decision code needs from the world. */
@NullMarked
package io.hypersync.worker.port;

import org.jspecify.annotations.NullMarked;
