/** Tests of Agent Mail. */
@NullMarked
package io.hypersync.leader.daemon.mail;

import org.jspecify.annotations.NullMarked;
