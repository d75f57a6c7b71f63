/** Tests of what agents may have read. */
@NullMarked
package io.hypersync.worker.sighting;

import org.jspecify.annotations.NullMarked;
