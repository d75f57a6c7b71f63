/** Linux error numbers, the result of a failed mutation or read. */
@NullMarked
package io.hypersync.model.errno;

import org.jspecify.annotations.NullMarked;
