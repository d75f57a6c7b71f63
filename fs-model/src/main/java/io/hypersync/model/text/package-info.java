/** Text that comes from elsewhere, made fit to be read by people. */
@NullMarked
package io.hypersync.model.text;

import org.jspecify.annotations.NullMarked;
