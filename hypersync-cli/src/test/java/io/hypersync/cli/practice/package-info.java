/** Practice of a daemon that starts. */
@NullMarked
package io.hypersync.cli.practice;

import org.jspecify.annotations.NullMarked;
