/** The {@code hypersync} command: entry point and what all commands share (design 3). */
@NullMarked
package io.hypersync.cli;

import org.jspecify.annotations.NullMarked;
