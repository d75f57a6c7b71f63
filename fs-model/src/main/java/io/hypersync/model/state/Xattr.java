package io.hypersync.model.state;

import io.hypersync.model.codec.CanonicalWriter;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.trie.Leaf;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.model.trie.TrieKey;

/**
 * An extended attribute, whose value is a chunk (hypersync.md 6.1). Canonical form, as hashed; the
 * length is big-endian:
 *
 * <pre>
 *   0                 32               36
 *   +-----------------+----------------+------------------+
 *   | value hash 32 B | value length   | name 1 to 255 B  |
 *   |                 | u32            |                  |
 *   +-----------------+----------------+------------------+
 * </pre>
 */
public final class Xattr extends Leaf {
  private final byte[] name;
  private final ChunkRef value;

  Xattr(byte[] name, ChunkRef value) {
    this.name = name;
    this.value = value;
  }

  /** The name; the array must not be changed. */
  public byte[] name() {
    return name;
  }

  /**
   * The chunk that holds the value; {@link ChunkRef#EMPTY} for an empty value, which no store has.
   */
  public ChunkRef value() {
    return value;
  }

  @Override
  public TrieKey key() {
    return TrieKey.of(name);
  }

  @Override
  protected void encode(CanonicalWriter out, RootVersion version) {
    out.hash(value.hash()).u32(value.length()).raw(name);
  }
}
