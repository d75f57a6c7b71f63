/**
 * Acknowledgements that wait for standbys (hypersync.md 19, decision 060): which entries count as
 * durable when some of them are on this disk only.
 */
@NullMarked
package io.hypersync.leader.syncstandby;

import org.jspecify.annotations.NullMarked;
