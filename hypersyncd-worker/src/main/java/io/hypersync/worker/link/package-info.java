/** Whether the leader is there (hypersync.md 6.4). */
@NullMarked
package io.hypersync.worker.link;

import org.jspecify.annotations.NullMarked;
