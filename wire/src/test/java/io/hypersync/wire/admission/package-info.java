@NullMarked
package io.hypersync.wire.admission;

import org.jspecify.annotations.NullMarked;
