/**
 * The Linux FUSE ABI, version 7.31 to 7.45, as constants: opcodes, struct layouts, flags.
 *
 * <p>Every integer on {@code /dev/fuse} is in the host's own byte order. Layout diagrams show 16
 * bytes a row, with the offset of the row at its left; a field without a width fills its cell (4 or
 * 8 bytes). The constants of a struct are the byte offsets of its fields, named as in the kernel's
 * header unless documented otherwise. Nothing here does I/O or allocates.
 */
@NullMarked
package io.hypersync.worker.fuse.abi;

import org.jspecify.annotations.NullMarked;
