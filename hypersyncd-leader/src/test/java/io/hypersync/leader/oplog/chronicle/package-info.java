/** Tests of the op log: format, group commit, recovery, faults. */
@NullMarked
package io.hypersync.leader.oplog.chronicle;

import org.jspecify.annotations.NullMarked;
