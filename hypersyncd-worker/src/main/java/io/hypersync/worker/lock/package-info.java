/**
 * Advisory locks on their way to the leader (hypersync.md 10.2): what the processes of this mount
 * want, hold and give up. Who gets what is the leader's decision alone.
 */
@NullMarked
package io.hypersync.worker.lock;

import org.jspecify.annotations.NullMarked;
