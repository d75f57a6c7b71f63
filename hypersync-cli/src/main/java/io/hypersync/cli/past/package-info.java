/** Commands that are run on states of the past. */
@NullMarked
package io.hypersync.cli.past;

import org.jspecify.annotations.NullMarked;
