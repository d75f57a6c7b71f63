/** The persistent, history-independent Merkle trie (design 5). */
@NullMarked
package io.hypersync.model.trie;

import org.jspecify.annotations.NullMarked;
