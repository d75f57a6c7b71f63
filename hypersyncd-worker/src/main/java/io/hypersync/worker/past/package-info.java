/** States of the past that this worker has mounted (hypersync.md 13). */
@NullMarked
package io.hypersync.worker.past;

import org.jspecify.annotations.NullMarked;
