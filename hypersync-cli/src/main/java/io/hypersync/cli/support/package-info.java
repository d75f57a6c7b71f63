/**
 * {@code hypersync support}: one archive with what somebody needs who helps from afar, and without
 * secrets. Each source has a limit in time and bytes; what fails is a line in the archive.
 */
@NullMarked
package io.hypersync.cli.support;

import org.jspecify.annotations.NullMarked;
