/** Puts together what a worker and its leader know of where time goes (hypersync.md 17.1). */
@NullMarked
package io.hypersync.cli.stages;

import org.jspecify.annotations.NullMarked;
