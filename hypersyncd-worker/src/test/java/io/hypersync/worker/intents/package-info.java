/** Tests of the worker's handling of intents. */
@NullMarked
package io.hypersync.worker.intents;

import org.jspecify.annotations.NullMarked;
