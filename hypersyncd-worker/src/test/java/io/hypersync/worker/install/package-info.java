@NullMarked
package io.hypersync.worker.install;

import org.jspecify.annotations.NullMarked;
