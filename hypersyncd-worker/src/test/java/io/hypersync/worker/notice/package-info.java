@NullMarked
package io.hypersync.worker.notice;

import org.jspecify.annotations.NullMarked;
