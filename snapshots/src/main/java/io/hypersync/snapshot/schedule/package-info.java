/** When a replica takes snapshots, and which of them it keeps (hypersync.md 13.1, 14.1). */
@NullMarked
package io.hypersync.snapshot.schedule;

import org.jspecify.annotations.NullMarked;
