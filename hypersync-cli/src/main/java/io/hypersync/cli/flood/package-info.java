/** Simulates unauthenticated peers at a leader's port, for tests and benchmarks on this machine. */
@NullMarked
package io.hypersync.cli.flood;

import org.jspecify.annotations.NullMarked;
