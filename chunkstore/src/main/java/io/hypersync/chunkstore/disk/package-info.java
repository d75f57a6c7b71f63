/**
 * The chunk store on disk: segment files with the bytes, and a RocksDB index of where each chunk is
 * (decision 011). The only package that uses RocksDB.
 */
@NullMarked
package io.hypersync.chunkstore.disk;

import org.jspecify.annotations.NullMarked;
