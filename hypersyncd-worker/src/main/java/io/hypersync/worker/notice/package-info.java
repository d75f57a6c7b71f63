/** What the leader tells this worker that no entry of the log tells. */
@NullMarked
package io.hypersync.worker.notice;

import org.jspecify.annotations.NullMarked;
