/**
 * What the next process of a worker must know of the mount that the last one has left behind: in
 * memory that outlives a process (decision 048).
 */
@NullMarked
package io.hypersync.worker.incarnation;

import org.jspecify.annotations.NullMarked;
