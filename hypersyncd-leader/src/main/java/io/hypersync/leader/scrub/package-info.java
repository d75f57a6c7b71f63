/** What a scrub reads, waits for and gives up: everything is read, and what rots is mended. */
@NullMarked
package io.hypersync.leader.scrub;

import org.jspecify.annotations.NullMarked;
