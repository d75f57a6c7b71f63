/** The persistent, history-independent Merkle trie. */
@NullMarked
package io.hypersync.model.trie;

import org.jspecify.annotations.NullMarked;
