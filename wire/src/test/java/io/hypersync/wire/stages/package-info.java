/** Tests of the figures of stages. */
@NullMarked
package io.hypersync.wire.stages;

import org.jspecify.annotations.NullMarked;
