/** Tests of the profiles of a mount. */
@NullMarked
package io.hypersync.worker.profile;

import org.jspecify.annotations.NullMarked;
