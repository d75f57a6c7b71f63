@NullMarked
package io.hypersync.runtime.clock;

import org.jspecify.annotations.NullMarked;
