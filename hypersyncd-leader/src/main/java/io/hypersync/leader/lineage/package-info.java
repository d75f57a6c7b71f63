/**
 * Which history a leader's state is of, so that a state that is older than what workers have seen
 * is found out, and one that was rewound on purpose is not.
 */
@NullMarked
package io.hypersync.leader.lineage;

import org.jspecify.annotations.NullMarked;
