/**
 * The chunk store on disk: segment files with the bytes, and in RocksDB where each chunk is in them
 * (decision 011). The only package that knows RocksDB.
 */
@NullMarked
package io.hypersync.chunkstore.disk;

import org.jspecify.annotations.NullMarked;
