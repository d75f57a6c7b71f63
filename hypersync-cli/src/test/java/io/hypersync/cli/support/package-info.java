/** Tests of {@code hypersync support}. */
@NullMarked
package io.hypersync.cli.support;

import org.jspecify.annotations.NullMarked;
