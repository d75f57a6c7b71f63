/** Tests of the figures of stages. */
@NullMarked
package io.hypersync.runtime.stages;

import org.jspecify.annotations.NullMarked;
