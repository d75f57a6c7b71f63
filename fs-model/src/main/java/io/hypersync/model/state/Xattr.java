package io.hypersync.model.state;

import io.hypersync.model.codec.CanonicalReader;
import io.hypersync.model.codec.CanonicalWriter;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.trie.Leaf;
import io.hypersync.model.trie.PageWalker;
import io.hypersync.model.trie.PageWriter;
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
  private static final int FIXED_BYTES = Hash.BYTES + 4 + 1;

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

  @Override
  protected int pageBytes() {
    return FIXED_BYTES + name.length;
  }

  /** Hash and length of the value, length of the name as u8, name. */
  @Override
  protected void writePage(CanonicalWriter out, PageWriter pages) {
    out.hash(value.hash()).u32(value.length()).u8(name.length).raw(name);
  }

  static Xattr readPage(CanonicalReader in) throws DecodeException {
    Hash hash = in.hash();
    int length = in.u32();
    byte[] name = in.raw(in.u8());
    if (length < 0 || length > FsOp.SetXattr.MAX_VALUE_BYTES || name.length == 0) {
      throw new DecodeException("an extended attribute of " + length + " bytes");
    }
    return new Xattr(name, length == 0 ? ChunkRef.EMPTY : new ChunkRef(hash, length));
  }

  static void walkPage(CanonicalReader in, PageWalker pages) throws DecodeException {
    Hash hash = in.hash();
    if (in.u32() != 0) { // the empty chunk is in no store
      pages.chunk(hash);
    }
    in.skip(in.u8());
  }
}
