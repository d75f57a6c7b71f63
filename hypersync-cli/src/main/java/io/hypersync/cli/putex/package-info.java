/** What {@code hypersync putex} is told: the service, its scripts, and where the lock is. */
@NullMarked
package io.hypersync.cli.putex;

import org.jspecify.annotations.NullMarked;
