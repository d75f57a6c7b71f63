/** Advisory locks as values: ranges, modes and what one owner holds of one file (10.2). */
@NullMarked
package io.hypersync.model.lock;

import org.jspecify.annotations.NullMarked;
