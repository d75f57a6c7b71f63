/** The chunk store in RocksDB; the only package that knows RocksDB. */
@NullMarked
package io.hypersync.chunkstore.rocks;

import org.jspecify.annotations.NullMarked;
