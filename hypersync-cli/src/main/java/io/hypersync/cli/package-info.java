/** The {@code hypersync} command: entry point and what all commands share. */
@NullMarked
package io.hypersync.cli;

import org.jspecify.annotations.NullMarked;
