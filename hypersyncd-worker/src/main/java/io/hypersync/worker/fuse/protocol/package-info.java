/**
 * Converts the kernel's messages to values and back. Pure: no I/O, no threads, no semantics;
 * decoding is total.
 *
 * <p>Names, link targets and attribute values are {@code byte[]} as the kernel sent them, without
 * their terminating NUL; the receiver of a record owns its arrays. Inode numbers, file handles,
 * lock owners and request numbers have a type each; sizes and offsets are the kernel's unsigned
 * 64-bit numbers in a {@code long}.
 */
@NullMarked
package io.hypersync.worker.fuse.protocol;

import org.jspecify.annotations.NullMarked;
