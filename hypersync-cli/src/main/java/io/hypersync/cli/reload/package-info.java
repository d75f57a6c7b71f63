/** How the configuration of a process that runs is read again. */
@NullMarked
package io.hypersync.cli.reload;

import org.jspecify.annotations.NullMarked;
