/**
 * The process that keeps a mount while its worker does not run, and how a worker gives the mount to
 * it and takes it back (decision 048).
 */
@NullMarked
package io.hypersync.worker.takeover;

import org.jspecify.annotations.NullMarked;
