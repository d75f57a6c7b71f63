/**
 * RaptorQ, the fountain code of RFC 6330 (hypersync.md 12.2): repair symbols for a block of data,
 * and the data from any symbols that are enough. Pure: no threads, no I/O but its own tables.
 */
@NullMarked
package io.hypersync.raptorq;

import org.jspecify.annotations.NullMarked;
