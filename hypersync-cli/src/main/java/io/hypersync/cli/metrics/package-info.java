/** What daemons show to Prometheus: figures of their status as metrics, over HTTP. */
@NullMarked
package io.hypersync.cli.metrics;

import org.jspecify.annotations.NullMarked;
