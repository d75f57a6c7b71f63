/** {@code hypersync demo}: starts a leader and two workers, clones a repository, and cleans up. */
@NullMarked
package io.hypersync.cli.demo;

import org.jspecify.annotations.NullMarked;
