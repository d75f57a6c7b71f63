/** Text for people: what is put into messages, reports and logs. */
@NullMarked
package io.hypersync.wire.text;

import org.jspecify.annotations.NullMarked;
