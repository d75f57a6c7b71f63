/** Formats text for users: in messages, reports and logs. */
@NullMarked
package io.hypersync.wire.text;

import org.jspecify.annotations.NullMarked;
