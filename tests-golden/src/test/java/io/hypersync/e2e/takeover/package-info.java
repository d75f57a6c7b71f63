/** The death of a worker is not seen by programs (decision 048). */
@NullMarked
package io.hypersync.e2e.takeover;

import org.jspecify.annotations.NullMarked;
