@NullMarked
package io.hypersync.cli.metrics;

import org.jspecify.annotations.NullMarked;
