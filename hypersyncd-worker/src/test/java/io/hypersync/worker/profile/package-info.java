/** Tests of what people are told about a mount's use. */
@NullMarked
package io.hypersync.worker.profile;

import org.jspecify.annotations.NullMarked;
