@NullMarked
package io.hypersync.snapshot;

import org.jspecify.annotations.NullMarked;
