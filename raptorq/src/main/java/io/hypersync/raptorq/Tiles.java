package io.hypersync.raptorq;

/** Long symbols are worked on in parts, so that those of several symbols are in the L1 cache. */
final class Tiles {
  /** Length of a part; a symbol that fits into a packet is one part. */
  static final int BYTES = 2048;

  private Tiles() {}

  /** Length of the part that begins at an offset of a symbol; 0 at and behind the symbol's end. */
  static int length(int tile, int symbolBytes) {
    return Math.clamp((long) symbolBytes - tile, 0, BYTES);
  }
}
