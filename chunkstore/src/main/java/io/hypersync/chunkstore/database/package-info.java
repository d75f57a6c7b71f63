/**
 * A small ordered key-value database: durable on RocksDB, or in memory for tests and the simulator.
 * The only package that uses RocksDB.
 */
@NullMarked
package io.hypersync.chunkstore.database;

import org.jspecify.annotations.NullMarked;
