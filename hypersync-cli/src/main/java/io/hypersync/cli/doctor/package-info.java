/** Looks for what is wrong on this host, says what to do about it, and does what is safe. */
@NullMarked
package io.hypersync.cli.doctor;

import org.jspecify.annotations.NullMarked;
