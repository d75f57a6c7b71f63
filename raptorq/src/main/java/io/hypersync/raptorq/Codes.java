package io.hypersync.raptorq;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Codes that were used lately, so that each is made once. Keeps the one that was used last, and
 * others as long as all together take no more than a limit. Not thread-safe.
 */
public final class Codes {
  private static final float LOAD_FACTOR = 0.75f;

  private final long maxBytes;
  private final Map<Integer, Code> codes = new LinkedHashMap<>(16, LOAD_FACTOR, true);
  private long bytes;

  /**
   * Keeps nothing yet.
   *
   * @param maxBytes that all codes may take; one for K = 52 takes 6 KB, the greatest 1.2 MB
   */
  public Codes(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /**
   * The code for K source symbols, made now if it is not kept.
   *
   * @throws IllegalArgumentException if K is not 1 to {@link Code#MAX_SOURCE_SYMBOLS}
   */
  public Code of(int sourceSymbols) {
    Code kept = codes.get(sourceSymbols);
    if (kept != null) {
      return kept;
    }
    Code made = Code.of(sourceSymbols);
    codes.put(sourceSymbols, made);
    bytes += made.memoryBytes();
    var oldest = codes.values().iterator();
    while (bytes > maxBytes && codes.size() > 1) {
      bytes -= oldest.next().memoryBytes();
      oldest.remove();
    }
    return made;
  }

  /** What all codes that are kept take, in bytes. */
  public long memoryBytes() {
    return bytes;
  }
}
