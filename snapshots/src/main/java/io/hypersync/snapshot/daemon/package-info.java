/** The thread and the files behind a replica's snapshots. */
@NullMarked
package io.hypersync.snapshot.daemon;

import org.jspecify.annotations.NullMarked;
