/** The daemons' local admin sockets: one line of JSON as request, one as response. */
@NullMarked
package io.hypersync.runtime.admin;

import org.jspecify.annotations.NullMarked;
