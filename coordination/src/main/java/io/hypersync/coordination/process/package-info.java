/** Process groups of the kernel, which Java does not have. */
@NullMarked
package io.hypersync.coordination.process;

import org.jspecify.annotations.NullMarked;
