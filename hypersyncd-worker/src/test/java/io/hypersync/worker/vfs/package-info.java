/** Tests of the worker's answers to kernel requests. */
@NullMarked
package io.hypersync.worker.vfs;

import org.jspecify.annotations.NullMarked;
