/** The agents' names on a real machine: what is read from {@code /proc}, and who waits for it. */
@NullMarked
package io.hypersync.worker.daemon.identity;

import org.jspecify.annotations.NullMarked;
