/** Tests of the process that keeps a mount. */
@NullMarked
package io.hypersync.worker.takeover;

import org.jspecify.annotations.NullMarked;
