/**
 * What one worker may have the leader remember. A worker is a machine that somebody has enrolled,
 * and may have been taken over since: it may spoil its own mount, and no other's. So every table
 * that a message can grow has a quota for each worker, and what is beyond it is refused and
 * counted.
 */
@NullMarked
package io.hypersync.leader.quota;

import org.jspecify.annotations.NullMarked;
