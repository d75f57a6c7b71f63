@NullMarked
package io.hypersync.worker.local;

import org.jspecify.annotations.NullMarked;
