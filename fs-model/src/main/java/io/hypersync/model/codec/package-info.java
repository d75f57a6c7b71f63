/** Reader and writer of canonical bytes: big-endian, fixed widths, one encoding per value. */
@NullMarked
package io.hypersync.model.codec;

import org.jspecify.annotations.NullMarked;
