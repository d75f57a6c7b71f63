@NullMarked
package io.hypersync.cli.standby;

import org.jspecify.annotations.NullMarked;
