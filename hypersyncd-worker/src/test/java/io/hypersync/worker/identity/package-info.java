/** Tests of the agents' names. */
@NullMarked
package io.hypersync.worker.identity;

import org.jspecify.annotations.NullMarked;
