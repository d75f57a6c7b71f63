/** Tests of what one process of a worker leaves to the next. */
@NullMarked
package io.hypersync.worker.incarnation;

import org.jspecify.annotations.NullMarked;
