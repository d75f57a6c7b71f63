/** Converts the log of a stopped leader to the latest version of Merkle roots. */
@NullMarked
package io.hypersync.leader.conversion;

import org.jspecify.annotations.NullMarked;
