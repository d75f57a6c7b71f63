@NullMarked
package io.hypersync.worker.past;

import org.jspecify.annotations.NullMarked;
