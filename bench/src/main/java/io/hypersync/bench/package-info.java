/** {@code hypersync bench}: latency, throughput and memory of a real set-up. */
@NullMarked
package io.hypersync.bench;

import org.jspecify.annotations.NullMarked;
