@NullMarked
package io.hypersync.raptorq;

import org.jspecify.annotations.NullMarked;
