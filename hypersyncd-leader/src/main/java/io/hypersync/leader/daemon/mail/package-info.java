/** Agent Mail's server: HTTP, threads and files around {@link io.hypersync.leader.mail}. */
@NullMarked
package io.hypersync.leader.daemon.mail;

import org.jspecify.annotations.NullMarked;
