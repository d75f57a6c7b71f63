/** Golden traces: histories in a file, how they are made and replayed (hypersync.md 22.2). */
@NullMarked
package io.hypersync.cli.trace;

import org.jspecify.annotations.NullMarked;
