/** What the worker's decision code needs from the world (design 8). */
@NullMarked
package io.hypersync.worker.port;

import org.jspecify.annotations.NullMarked;
