@NullMarked
package io.hypersync.cli.log;

import org.jspecify.annotations.NullMarked;
