/**
 * Access to the kernel: system calls on {@code /dev/fuse}, mount(2) and its preconditions. The only
 * package of the worker that uses {@code java.lang.foreign}.
 *
 * <p>A system call pins a virtual thread to its carrier, and reading the device blocks, so readers
 * must be platform threads.
 */
@NullMarked
package io.hypersync.worker.fuse.dev;

import org.jspecify.annotations.NullMarked;
