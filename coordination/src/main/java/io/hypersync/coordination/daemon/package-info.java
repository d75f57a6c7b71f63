/** A process mutex as a daemon: threads, scripts, the process that switches the service off. */
@NullMarked
package io.hypersync.coordination.daemon;

import org.jspecify.annotations.NullMarked;
