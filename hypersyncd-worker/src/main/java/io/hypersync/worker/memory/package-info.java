/**
 * The shared memory of SQLite databases in WAL mode ({@code *-shm}): memory of one host at a time,
 * under a lease of the leader's lock table (decision 044).
 */
@NullMarked
package io.hypersync.worker.memory;

import org.jspecify.annotations.NullMarked;
