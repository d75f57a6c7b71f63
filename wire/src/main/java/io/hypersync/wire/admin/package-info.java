/** The daemons' local admin sockets: one JSON line asks, one JSON line answers. */
@NullMarked
package io.hypersync.wire.admin;

import org.jspecify.annotations.NullMarked;
