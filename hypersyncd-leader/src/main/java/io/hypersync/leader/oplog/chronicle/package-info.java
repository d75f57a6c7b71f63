/**
 * The op log on Chronicle Queue: one queue with one preallocated file per segment, a record format
 * whose checksums and hash chain prove what is valid, and a recovery that relies on that proof
 * alone.
 */
@NullMarked
package io.hypersync.leader.oplog.chronicle;

import org.jspecify.annotations.NullMarked;
