/**
 * The guarantees of the op log, for the mutants of {@link io.hypersync.mutants}; in this package to
 * reach package-private classes.
 */
@NullMarked
package io.hypersync.leader.oplog.chronicle;

import org.jspecify.annotations.NullMarked;
