/** Tests of sessions, admission of workers and sending of the log. */
@NullMarked
package io.hypersync.leader.session;

import org.jspecify.annotations.NullMarked;
