/** BLAKE3 and the 32-byte hash value (hypersync.md 7.3, 8.1.1). */
@NullMarked
package io.hypersync.model.hash;

import org.jspecify.annotations.NullMarked;
