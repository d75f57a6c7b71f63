/** How much of the heap is left for work in the background. */
@NullMarked
package io.hypersync.runtime.memory;

import org.jspecify.annotations.NullMarked;
