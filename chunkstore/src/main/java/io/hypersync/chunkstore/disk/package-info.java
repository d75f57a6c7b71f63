/**
 * The chunk store on disk: segment files with the bytes, and a database of where each chunk is
 * (decision 011).
 */
@NullMarked
package io.hypersync.chunkstore.disk;

import org.jspecify.annotations.NullMarked;
