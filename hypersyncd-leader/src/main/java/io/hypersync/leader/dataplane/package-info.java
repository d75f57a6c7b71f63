/**
 * How chunks of entries get to the workers that did not write them (hypersync.md 12.2 to 12.4):
 * sent unasked, on streams or as RaptorQ symbols in datagrams, as fast as each worker takes them.
 */
@NullMarked
package io.hypersync.leader.dataplane;

import org.jspecify.annotations.NullMarked;
