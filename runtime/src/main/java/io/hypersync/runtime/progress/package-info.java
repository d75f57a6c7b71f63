/** How fast something gets done, and how long the rest takes. */
@NullMarked
package io.hypersync.runtime.progress;

import org.jspecify.annotations.NullMarked;
