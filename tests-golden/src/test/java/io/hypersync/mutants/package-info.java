/** Small wrong changes to the production code, each of which the simulator must notice. */
@NullMarked
package io.hypersync.mutants;

import org.jspecify.annotations.NullMarked;
