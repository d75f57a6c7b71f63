/** Tests of admission, deduplication and ordering of mutations. */
@NullMarked
package io.hypersync.leader.sequencer;

import org.jspecify.annotations.NullMarked;
