/** {@code hypersync bench}: latency, throughput and memory of a real set-up (design 1). */
@NullMarked
package io.hypersync.bench;

import org.jspecify.annotations.NullMarked;
