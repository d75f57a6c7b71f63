/** {@code hypersync demo}: a leader, two workers and a repository, from nothing and back. */
@NullMarked
package io.hypersync.cli.demo;

import org.jspecify.annotations.NullMarked;
