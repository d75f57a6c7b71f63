/** Tests of Agent Mail. */
@NullMarked
package io.hypersync.leader.mail;

import org.jspecify.annotations.NullMarked;
