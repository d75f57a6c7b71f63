/** One class for each command of {@code hypersync}. */
@NullMarked
package io.hypersync.cli.command;

import org.jspecify.annotations.NullMarked;
