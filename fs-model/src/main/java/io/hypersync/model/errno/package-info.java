/** The Linux error numbers that a mutation or a read can end with. */
@NullMarked
package io.hypersync.model.errno;

import org.jspecify.annotations.NullMarked;
