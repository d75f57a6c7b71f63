/** The link to the leader: its state, and the read barrier (hypersync.md 6.2, 6.4). */
@NullMarked
package io.hypersync.worker.link;

import org.jspecify.annotations.NullMarked;
