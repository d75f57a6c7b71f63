/**
 * Content-addressed storage of file bytes: chunks, the chunker, the store port, and stores in
 * memory (hypersync.md 9).
 */
@NullMarked
package io.hypersync.chunkstore;

import org.jspecify.annotations.NullMarked;
