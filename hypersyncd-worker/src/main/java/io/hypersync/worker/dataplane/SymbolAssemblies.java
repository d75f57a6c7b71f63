package io.hypersync.worker.dataplane;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.raptorq.SourceBlock;
import io.hypersync.wire.message.ChunkSymbol;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Collects symbols until they are enough for a chunk. Symbols may come before the entry that
 * mentions their chunk, so there may be some of a chunk that nobody knows of yet. Whatever a peer
 * sends, it keeps no more than {@link #MOST_BYTES}: the oldest chunk makes room. Single-threaded.
 */
public final class SymbolAssemblies {
  /** Symbols with their overhead, of chunks that are not complete. */
  static final int MOST_BYTES = 16 << 20;

  /** Heap that a symbol takes beside its bytes. */
  private static final long SYMBOL_OVERHEAD_BYTES = 120;

  /** Heap that a chunk takes beside its symbols: lists, a bit for each symbol, its place here. */
  private static final int CHUNK_OVERHEAD_BYTES = 1_280;

  /** Of so many chunks that are complete it is remembered: symbols too many may still come. */
  private static final int MOST_COMPLETE = 4_096;

  /** The oldest one first. */
  private final Map<Hash, Assembly> assemblies = new LinkedHashMap<>();

  private final Set<Hash> complete = new LinkedHashSet<>();
  private long bytes;
  private long rejected;
  private long surplus;
  private long dropped;

  private static final class Assembly {
    private final SourceBlock block;
    private final BitSet ids = new BitSet();
    private final List<ChunkSymbol> symbols = new ArrayList<>();
    private int source;
    private long bytes = CHUNK_OVERHEAD_BYTES;
    private long lastNs;

    Assembly(SourceBlock block) {
      this.block = block;
    }

    boolean hasEnough() {
      return symbols.size() >= block.sourceSymbols();
    }

    /** One more than source symbols: K of them do not suffice once in 200 times, K + 1 nearly. */
    boolean isComplete() {
      return source == block.sourceSymbols() || symbols.size() > block.sourceSymbols();
    }
  }

  /**
   * Takes a symbol.
   *
   * @return the chunk's symbols if they are enough now; else null
   */
  public @Nullable ReceivedBlock add(ChunkSymbol symbol, long nowNs) {
    if (!isValid(symbol)) {
      rejected++;
      return null;
    }
    if (complete.contains(symbol.chunk())) {
      surplus++;
      return null;
    }
    SourceBlock block = new SourceBlock(symbol.chunkBytes(), symbol.symbolBytes());
    Assembly assembly = assemblies.get(symbol.chunk());
    if (assembly != null && !assembly.block.equals(block)) {
      forget(symbol.chunk()); // another encoding, which has begun later
      assembly = null;
    }
    if (assembly == null) {
      assembly = new Assembly(block);
      assemblies.put(symbol.chunk(), assembly);
      bytes += assembly.bytes;
    }
    assembly.lastNs = nowNs;
    if (assembly.ids.get(symbol.id())) {
      surplus++;
      return null;
    }
    assembly.ids.set(symbol.id());
    assembly.symbols.add(symbol);
    assembly.source += symbol.id() < block.sourceSymbols() ? 1 : 0;
    long cost = cost(symbol);
    assembly.bytes += cost;
    bytes += cost;
    if (assembly.isComplete()) {
      return finished(symbol.chunk(), assembly);
    }
    makeRoom();
    return null;
  }

  /** No id is believed that a chunk of this length could not need: they are kept in a bit set. */
  private static boolean isValid(ChunkSymbol symbol) {
    if (symbol.chunkBytes() > ChunkRef.MAX_LENGTH
        || !SourceBlock.isValid(symbol.chunkBytes(), symbol.symbolBytes())) {
      return false;
    }
    SourceBlock block = new SourceBlock(symbol.chunkBytes(), symbol.symbolBytes());
    return symbol.id() < highestId(block) && block.accepts(symbol.id(), symbol.bytes().length);
  }

  /** A leader is set to send at most four times as many repair symbols as source symbols. */
  private static int highestId(SourceBlock block) {
    return 6 * block.sourceSymbols() + 64;
  }

  /**
   * The symbols of a chunk of which no more come, if they may be enough; else null, and they are
   * forgotten.
   */
  public @Nullable ReceivedBlock take(Hash chunk) {
    Assembly assembly = assemblies.get(chunk);
    if (assembly != null && assembly.hasEnough()) {
      return finished(chunk, assembly);
    }
    forget(chunk);
    return null;
  }

  /** Whether no symbol of this chunk has come, and it is not known to be here. */
  public boolean isUnknown(Hash chunk) {
    return !assemblies.containsKey(chunk) && !complete.contains(chunk);
  }

  /** The chunk is here: symbols that still come are not needed. */
  public void complete(Hash chunk) {
    forget(chunk);
    if (complete.add(chunk) && complete.size() > MOST_COMPLETE) {
      Iterator<Hash> oldest = complete.iterator();
      oldest.next();
      oldest.remove();
    }
  }

  /** Forgets chunks of which nothing has come since then: nobody waits for them. */
  public void expire(long sinceNs) {
    for (Iterator<Assembly> each = assemblies.values().iterator(); each.hasNext(); ) {
      Assembly assembly = each.next();
      if (assembly.lastNs - sinceNs < 0) {
        bytes -= assembly.bytes;
        dropped++;
        each.remove();
      }
    }
  }

  private ReceivedBlock finished(Hash chunk, Assembly assembly) {
    complete(chunk);
    return new ReceivedBlock(chunk, assembly.block, assembly.symbols);
  }

  private void makeRoom() {
    Iterator<Assembly> oldest = assemblies.values().iterator();
    while (bytes > MOST_BYTES && oldest.hasNext()) {
      bytes -= oldest.next().bytes;
      oldest.remove();
      dropped++;
    }
  }

  private static long cost(ChunkSymbol symbol) {
    return symbol.bytes().length + SYMBOL_OVERHEAD_BYTES;
  }

  /** The chunk comes in another way. */
  private void forget(Hash chunk) {
    Assembly assembly = assemblies.remove(chunk);
    if (assembly != null) {
      bytes -= assembly.bytes;
    }
  }

  /** What came of a chunk was wrong, so its symbols may come again. */
  public void failed(Hash chunk) {
    complete.remove(chunk);
  }

  /** The connection has ended: what is missing does not come any more. */
  public void clear() {
    assemblies.clear();
    complete.clear();
    bytes = 0;
  }

  /** What is kept of chunks that are not complete, in bytes. */
  public long bytes() {
    return bytes;
  }

  /** Symbols that cannot be of any chunk. */
  public long rejected() {
    return rejected;
  }

  /** Symbols that came twice, or after their chunk was complete. */
  public long surplus() {
    return surplus;
  }

  /** Chunks whose symbols made room for others. */
  public long dropped() {
    return dropped;
  }
}
