/**
 * The kernel's bytes as values, and back. Pure: no I/O, no threads, no meaning; decoding is total.
 *
 * <p>Names, link targets and attribute values are {@code byte[]} as the kernel gave them, without
 * their terminating NUL; whoever receives a record owns its arrays. Node ids, handles, sizes and
 * offsets are the kernel's unsigned 64-bit numbers in a {@code long}.
 */
@NullMarked
package io.hypersync.worker.fuse.protocol;

import org.jspecify.annotations.NullMarked;
