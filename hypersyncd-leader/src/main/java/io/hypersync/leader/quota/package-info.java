/**
 * Limits on what one worker can make the leader keep. A worker is a machine that somebody has
 * enrolled and that may have been compromised since: it may ruin its own mount, but not another
 * one. So every table that a message can grow has a quota for each worker, and what exceeds it is
 * refused and counted.
 */
@NullMarked
package io.hypersync.leader.quota;

import org.jspecify.annotations.NullMarked;
