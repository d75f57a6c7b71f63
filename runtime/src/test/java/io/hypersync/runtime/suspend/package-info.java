@NullMarked
package io.hypersync.runtime.suspend;

import org.jspecify.annotations.NullMarked;
