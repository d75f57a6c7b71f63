/** Tests of {@code hypersync top}. */
@NullMarked
package io.hypersync.cli.top;

import org.jspecify.annotations.NullMarked;
