/** The terminal of {@code hypersync top}: the one place that knows JLine. */
@NullMarked
package io.hypersync.cli.top.terminal;

import org.jspecify.annotations.NullMarked;
