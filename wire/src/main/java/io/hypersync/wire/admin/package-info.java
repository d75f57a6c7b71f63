/** The daemons' local admin sockets: one JSON line asks, one JSON line answers (design 3, 11). */
@NullMarked
package io.hypersync.wire.admin;

import org.jspecify.annotations.NullMarked;
