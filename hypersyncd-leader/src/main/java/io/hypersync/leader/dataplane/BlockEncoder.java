package io.hypersync.leader.dataplane;

import io.hypersync.model.hash.Hash;
import io.hypersync.raptorq.Codes;
import io.hypersync.raptorq.Encoder;
import io.hypersync.raptorq.SourceBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes the symbols of chunks, once for all workers that get the same size of symbols. Not
 * thread-safe.
 */
public final class BlockEncoder {
  private static final float LOAD_FACTOR = 0.75f;

  /** Several hundred codes for chunks in symbols of one packet, and some large ones. */
  private static final long CODES_BYTES = 4L << 20;

  private final long maxBytes;
  private final Codes codes = new Codes(CODES_BYTES);

  /** The one that was used last comes last. */
  private final Map<Key, Encoded> kept = new LinkedHashMap<>(16, LOAD_FACTOR, true);

  private long bytes;

  private record Key(Hash chunk, int symbolBytes) {}

  private static final class Encoded {
    private final byte[] data;
    private final SourceBlock block;
    private final List<byte[]> symbols = new ArrayList<>();

    Encoded(byte[] data, SourceBlock block) {
      this.data = data;
      this.block = block;
    }
  }

  /** Where the bytes of a chunk come from. */
  @FunctionalInterface
  public interface Source {
    /** The bytes, which are intact; null if they cannot be had. */
    byte @Nullable [] read(Hash chunk);
  }

  /**
   * Keeps nothing yet.
   *
   * @param maxBytes how much of chunks and symbols is kept
   */
  public BlockEncoder(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /**
   * The symbols of a chunk: those of the source, and then so many repair symbols. They must not be
   * changed.
   *
   * @param symbolBytes T
   * @return empty if the chunk cannot be read, or has more bytes than such symbols can have
   */
  public List<byte[]> symbols(Hash chunk, int symbolBytes, int repair, Source source) {
    Key key = new Key(chunk, symbolBytes);
    Encoded encoded = kept.get(key);
    if (encoded == null) {
      byte[] data = source.read(chunk);
      if (data == null || !SourceBlock.isValid(data.length, symbolBytes)) {
        return List.of();
      }
      encoded = cut(data, new SourceBlock(data.length, symbolBytes));
      kept.put(key, encoded);
      bytes += 2L * data.length;
    }
    int wanted = encoded.block.sourceSymbols() + repair;
    if (encoded.symbols.size() < wanted) {
      bytes += addRepair(encoded, wanted);
    }
    makeRoom();
    return encoded.symbols.subList(0, wanted);
  }

  private static Encoded cut(byte[] data, SourceBlock block) {
    Encoded encoded = new Encoded(data, block);
    for (int id = 0; id < block.sourceSymbols(); id++) {
      int from = block.sourceOffset(id);
      encoded.symbols.add(Arrays.copyOfRange(data, from, from + block.sourceBytes(id)));
    }
    return encoded;
  }

  private long addRepair(Encoded encoded, int wanted) {
    SourceBlock block = encoded.block;
    int first = encoded.symbols.size();
    byte[] all = new byte[(wanted - first) * block.symbolBytes()];
    new Encoder(codes.of(block.sourceSymbols()), block)
        .repair(encoded.data, 0, first, wanted - first, all, 0);
    for (int at = 0; at < all.length; at += block.symbolBytes()) {
      encoded.symbols.add(Arrays.copyOfRange(all, at, at + block.symbolBytes()));
    }
    return all.length;
  }

  private void makeRoom() {
    Iterator<Encoded> oldest = kept.values().iterator();
    while (bytes > maxBytes && kept.size() > 1) {
      Encoded gone = oldest.next();
      int repair = gone.symbols.size() - gone.block.sourceSymbols();
      bytes -= 2L * gone.data.length + (long) repair * gone.block.symbolBytes();
      oldest.remove();
    }
  }
}
