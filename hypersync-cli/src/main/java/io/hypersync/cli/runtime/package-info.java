/** A daemon's process: from its configuration to its end (design 3, 7). */
@NullMarked
package io.hypersync.cli.runtime;

import org.jspecify.annotations.NullMarked;
