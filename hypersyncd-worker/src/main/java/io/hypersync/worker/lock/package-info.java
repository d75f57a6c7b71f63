/**
 * Advisory locks of this mount (hypersync.md 10.2): requests, locks held and releases. The leader
 * alone decides who gets which lock.
 */
@NullMarked
package io.hypersync.worker.lock;

import org.jspecify.annotations.NullMarked;
