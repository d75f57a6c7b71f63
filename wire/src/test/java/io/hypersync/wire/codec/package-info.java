@NullMarked
package io.hypersync.wire.codec;

import org.jspecify.annotations.NullMarked;
