/** What the op log promises, for the mutants of {@link io.hypersync.mutants}. */
@NullMarked
package io.hypersync.leader.oplog.chronicle;

import org.jspecify.annotations.NullMarked;
