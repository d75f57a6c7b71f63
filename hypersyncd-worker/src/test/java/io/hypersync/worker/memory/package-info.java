@NullMarked
package io.hypersync.worker.memory;

import org.jspecify.annotations.NullMarked;
