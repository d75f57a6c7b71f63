/** Admission, deduplication and ordering of mutations (hypersync.md 8). */
@NullMarked
package io.hypersync.leader.sequencer;

import org.jspecify.annotations.NullMarked;
