/** Formats text for users: in messages and reports. */
@NullMarked
package io.hypersync.runtime.text;

import org.jspecify.annotations.NullMarked;
