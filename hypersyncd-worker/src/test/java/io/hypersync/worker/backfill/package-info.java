@NullMarked
package io.hypersync.worker.backfill;

import org.jspecify.annotations.NullMarked;
