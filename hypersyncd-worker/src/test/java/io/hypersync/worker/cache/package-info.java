/** Tests of which chunks a worker keeps. */
@NullMarked
package io.hypersync.worker.cache;

import org.jspecify.annotations.NullMarked;
