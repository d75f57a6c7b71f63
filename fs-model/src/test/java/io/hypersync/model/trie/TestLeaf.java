package io.hypersync.model.trie;

import io.hypersync.model.codec.CanonicalReader;
import io.hypersync.model.codec.CanonicalWriter;
import io.hypersync.model.codec.DecodeException;
import java.util.HexFormat;

/** A leaf with a byte-string key and a number as its value. */
final class TestLeaf extends Leaf {
  private final byte[] key;
  private final int value;

  TestLeaf(byte[] key, int value) {
    this.key = key;
    this.value = value;
  }

  int value() {
    return value;
  }

  byte[] bytes() {
    return key;
  }

  @Override
  public TrieKey key() {
    return TrieKey.of(key);
  }

  @Override
  protected void encode(CanonicalWriter out, RootVersion version) {
    out.u32(value).raw(key);
  }

  @Override
  protected int pageBytes() {
    return Integer.BYTES + 2 + key.length;
  }

  @Override
  protected void writePage(CanonicalWriter out, PageWriter pages) {
    out.u32(value).u16(key.length).raw(key);
  }

  static TestLeaf readPage(CanonicalReader in) throws DecodeException {
    int value = in.u32();
    return new TestLeaf(in.raw(in.u16()), value);
  }

  @Override
  public String toString() {
    return HexFormat.of().formatHex(key) + "=" + value;
  }
}
